// A driver that does next to nothing, and the hand-written JNI that the product's data path is compared with.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <jni.h>

#define COMPLETIONS 64

struct stub {
	struct ibv_context context;
	struct ibv_qp qp;
	struct ibv_cq cq;
	struct ibv_wc completions[COMPLETIONS];
	uint64_t sum;
};

// Reads all that a driver would read of a request to write to the peer's memory.
static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct stub *stub = qp->qp_context;
	uint64_t sum = 0;

	for (; wr; wr = wr->next) {
		if (wr->opcode > IBV_WR_ATOMIC_FETCH_AND_ADD) {
			*bad = wr;
			return 22;
		}
		sum += wr->wr_id + wr->opcode + wr->send_flags + wr->wr.rdma.remote_addr + wr->wr.rdma.rkey;
		for (int i = 0; i < wr->num_sge; i++)
			sum += wr->sg_list[i].addr + wr->sg_list[i].length + wr->sg_list[i].lkey;
	}
	stub->sum += sum;
	return 0;
}

static int poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *completions)
{
	struct stub *stub = cq->cq_context;

	if (count > COMPLETIONS)
		count = COMPLETIONS;
	memcpy(completions, stub->completions, count * sizeof(*completions));
	return count;
}

static struct stub *create(void)
{
	struct stub *stub = calloc(1, sizeof(*stub));

	if (!stub)
		abort();
	stub->context.ops.post_send = post_send;
	stub->context.ops.poll_cq = poll_cq;
	stub->qp.context = &stub->context;
	stub->qp.qp_context = stub;
	stub->cq.context = &stub->context;
	stub->cq.cq_context = stub;
	for (int i = 0; i < COMPLETIONS; i++) {
		stub->completions[i].wr_id = i;
		stub->completions[i].opcode = IBV_WC_RDMA_WRITE;
		stub->completions[i].byte_len = 64;
		stub->completions[i].qp_num = 17;
	}
	return stub;
}

#define JNI(type, name) JNIEXPORT type JNICALL Java_io_github_rdmaboot_provider_jna_HandWrittenJni_##name

JNI(jlong, createStub)(JNIEnv *env, jclass class)
{
	(void)env, (void)class;
	return (jlong)(intptr_t)create();
}

JNI(jlong, queuePair)(JNIEnv *env, jclass class, jlong stub)
{
	(void)env, (void)class;
	return (jlong)(intptr_t)&((struct stub *)(intptr_t)stub)->qp;
}

JNI(jlong, completionQueue)(JNIEnv *env, jclass class, jlong stub)
{
	(void)env, (void)class;
	return (jlong)(intptr_t)&((struct stub *)(intptr_t)stub)->cq;
}

JNI(jlong, sum)(JNIEnv *env, jclass class, jlong stub)
{
	(void)env, (void)class;
	return (jlong)((struct stub *)(intptr_t)stub)->sum;
}

JNI(jlong, address)(JNIEnv *env, jclass class, jobject buffer)
{
	(void)class;
	return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

JNI(jint, postSend)(JNIEnv *env, jclass class, jlong qp, jlong requests)
{
	struct ibv_send_wr *bad;

	(void)env, (void)class;
	return ibv_post_send((struct ibv_qp *)(intptr_t)qp, (struct ibv_send_wr *)(intptr_t)requests, &bad);
}

JNI(jint, pollCq)(JNIEnv *env, jclass class, jlong cq, jint count, jlong completions)
{
	(void)env, (void)class;
	return ibv_poll_cq((struct ibv_cq *)(intptr_t)cq, count, (struct ibv_wc *)(intptr_t)completions);
}
