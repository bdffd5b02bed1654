// A device with queue pairs that are connected with each other two by two, in the order in which they are made. What a
// request asks for, it does at once, on the thread that posts.

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <jni.h>

#define ENTRIES 256

struct completions {
	struct ibv_cq cq;
	atomic_flag busy;
	unsigned int first;
	unsigned int count;
	struct ibv_wc entries[ENTRIES];
};

struct receive {
	uint64_t wr_id;
	struct ibv_sge buffer;
};

struct queue_pair {
	struct ibv_qp qp;
	struct queue_pair *peer;
	atomic_flag busy;
	unsigned int first;
	unsigned int count;
	struct receive receives[ENTRIES];
};

static void enter(atomic_flag *busy)
{
	while (atomic_flag_test_and_set_explicit(busy, memory_order_acquire))
		;
}

static void leave(atomic_flag *busy)
{
	atomic_flag_clear_explicit(busy, memory_order_release);
}

static void complete(struct ibv_cq *cq, const struct ibv_wc *completion)
{
	struct completions *queue = cq->cq_context;

	enter(&queue->busy);
	if (queue->count == ENTRIES)
		abort();
	queue->entries[(queue->first + queue->count++) % ENTRIES] = *completion;
	leave(&queue->busy);
}

static int poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *completions)
{
	struct completions *queue = cq->cq_context;
	int polled = 0;

	enter(&queue->busy);
	for (; polled < count && queue->count > 0; polled++, queue->count--)
		completions[polled] = queue->entries[queue->first++ % ENTRIES];
	leave(&queue->busy);
	return polled;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct queue_pair *pair = qp->qp_context;
	int error = 0;

	enter(&pair->busy);
	for (; wr; wr = wr->next) {
		if (wr->num_sge != 1 || pair->count == ENTRIES) {
			*bad = wr;
			error = wr->num_sge != 1 ? EINVAL : ENOMEM;
			break;
		}
		pair->receives[(pair->first + pair->count++) % ENTRIES] = (struct receive){ wr->wr_id, wr->sg_list[0] };
	}
	leave(&pair->busy);
	return error;
}

static int take_receive(struct queue_pair *pair, struct receive *taken)
{
	int any;

	enter(&pair->busy);
	any = pair->count > 0;
	if (any) {
		*taken = pair->receives[pair->first++ % ENTRIES];
		pair->count--;
	}
	leave(&pair->busy);
	return any;
}

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

// Copies the buffers of a request into memory, or that into them. Returns how many bytes.
static uint32_t copy(const struct ibv_send_wr *wr, char *memory, int into)
{
	uint32_t length = 0;

	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *buffer = &wr->sg_list[i];

		if (into)
			memcpy(memory + length, at(buffer->addr), buffer->length);
		else
			memcpy(at(buffer->addr), memory + length, buffer->length);
		length += buffer->length;
	}
	return length;
}

// Returns an errno where a device would let the peer's receives run dry, or end the connection.
static int execute(struct queue_pair *pair, const struct ibv_send_wr *wr)
{
	struct ibv_wc completion = { .wr_id = wr->wr_id, .qp_num = pair->qp.qp_num };
	struct ibv_wc received = { .opcode = IBV_WC_RECV, .qp_num = pair->peer->qp.qp_num };
	struct receive receive;

	switch (wr->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
		if (!take_receive(pair->peer, &receive))
			return ENOBUFS;
		received.wr_id = receive.wr_id;
		received.byte_len = copy(wr, at(receive.buffer.addr), 1);
		if (wr->opcode == IBV_WR_SEND_WITH_IMM) {
			received.wc_flags = IBV_WC_WITH_IMM;
			received.imm_data = wr->imm_data;
		}
		complete(pair->peer->qp.recv_cq, &received);
		completion.opcode = IBV_WC_SEND;
		break;
	case IBV_WR_RDMA_WRITE:
		completion.byte_len = copy(wr, at(wr->wr.rdma.remote_addr), 1);
		completion.opcode = IBV_WC_RDMA_WRITE;
		break;
	case IBV_WR_RDMA_READ:
		completion.byte_len = copy(wr, at(wr->wr.rdma.remote_addr), 0);
		completion.opcode = IBV_WC_RDMA_READ;
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		*(uint64_t *)at(wr->sg_list[0].addr) =
			__atomic_fetch_add((uint64_t *)at(wr->wr.atomic.remote_addr), wr->wr.atomic.compare_add, __ATOMIC_SEQ_CST);
		completion.byte_len = 8;
		completion.opcode = IBV_WC_FETCH_ADD;
		break;
	default:
		return EINVAL;
	}
	if (wr->send_flags & IBV_SEND_SIGNALED)
		complete(pair->qp.send_cq, &completion);
	return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	for (; wr; wr = wr->next) {
		int error = execute(qp->qp_context, wr);

		if (error) {
			*bad = wr;
			return error;
		}
	}
	return 0;
}

static struct ibv_context device = {
	.ops = { .poll_cq = poll_cq, .post_send = post_send, .post_recv = post_recv },
};

static struct queue_pair *alone;

#define JNI(type, name) JNIEXPORT type JNICALL Java_io_github_rdmaboot_provider_jna_StubDevice_##name

JNI(jlong, createCq)(JNIEnv *env, jclass class)
{
	struct completions *queue = calloc(1, sizeof(*queue));

	(void)env, (void)class;
	if (!queue)
		abort();
	queue->cq.context = &device;
	queue->cq.cq_context = queue;
	return (jlong)(intptr_t)&queue->cq;
}

// Called by one thread at a time.
JNI(jlong, createQp)(JNIEnv *env, jclass class, jlong sendCq, jlong recvCq, jint number)
{
	struct queue_pair *pair = calloc(1, sizeof(*pair));

	(void)env, (void)class;
	if (!pair)
		abort();
	pair->qp.context = &device;
	pair->qp.qp_context = pair;
	pair->qp.qp_num = number;
	pair->qp.send_cq = at(sendCq);
	pair->qp.recv_cq = at(recvCq);
	pair->peer = alone;
	if (alone)
		alone->peer = pair;
	alone = alone ? NULL : pair;
	return (jlong)(intptr_t)&pair->qp;
}

JNI(jlong, addressOf)(JNIEnv *env, jclass class, jobject buffer)
{
	(void)class;
	return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}
