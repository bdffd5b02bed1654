/*
 * What the benchmark of the data path compares the starter with: the same calls by librdmacm and libibverbs directly,
 * on one thread.
 *
 *   round-trip server PORT event|poll                            serves one connection after the other until it is killed
 *   round-trip client PORT event|poll ping WARM-UP ROUNDS SIZE   messages of SIZE bytes there and back
 *   round-trip client PORT event|poll stream WARM-UP BATCHES     lists of 16 writes of 4 KiB into the server's memory
 *
 * The server sends the address, the key and the length of its memory first, as 20 bytes in network order. The client
 * prints the microseconds that the rounds or batches took, without those of the warm-up.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ADDRESS "192.0.2.1"
#define BUFFERS 16
#define BUFFER_SIZE 4096
#define LIST 16
#define LISTS_IN_FLIGHT 4
#define SENDS (LIST * LISTS_IN_FLIGHT)
#define SENT 1000
#define TIMEOUT_MS 10000
/* How many polls that find nothing pass between two looks for CM events. */
#define SPINS 4096

/* A call that returns 0, or what follows is worth nothing. */
#define MUST(call) \
	do { \
		if ((call) != 0) { \
			fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, strerror(errno)); \
			exit(1); \
		} \
	} while (0)

struct side {
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	char *memory;
	unsigned sent;
};

static struct rdma_event_channel *channel;
static int by_event;
static uint64_t remote_address;
static uint32_t remote_key;

static long now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static char *receive_buffer(struct side *side, uint64_t slot)
{
	return side->memory + slot * BUFFER_SIZE;
}

static char *send_buffer(struct side *side, unsigned slot)
{
	return side->memory + (BUFFERS + slot % BUFFERS) * BUFFER_SIZE;
}

static void post_receive(struct side *side, uint64_t slot)
{
	struct ibv_sge sge = { (uintptr_t)receive_buffer(side, slot), BUFFER_SIZE, side->mr->lkey };
	struct ibv_recv_wr request = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 }, *bad;
	MUST(ibv_post_recv(side->id->qp, &request, &bad));
}

static void post_send(struct side *side, const void *message, unsigned length)
{
	char *buffer = send_buffer(side, side->sent++);
	struct ibv_sge sge = { (uintptr_t)buffer, length, side->mr->lkey };
	struct ibv_send_wr request = { .wr_id = SENT, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED }, *bad;
	memcpy(buffer, message, length);
	MUST(ibv_post_send(side->id->qp, &request, &bad));
}

static void post_writes(struct side *side)
{
	struct ibv_sge sge[LIST];
	struct ibv_send_wr request[LIST], *bad;
	memset(request, 0, sizeof request);
	for (int i = 0; i < LIST; i++) {
		sge[i] = (struct ibv_sge){ (uintptr_t)side->memory + i * BUFFER_SIZE, BUFFER_SIZE, side->mr->lkey };
		request[i] = (struct ibv_send_wr){ .wr_id = SENT, .next = (i < LIST - 1) ? &request[i + 1] : NULL,
			.sg_list = &sge[i], .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
			.send_flags = (i == LIST - 1) ? IBV_SEND_SIGNALED : 0,
			.wr.rdma = { remote_address + i * BUFFER_SIZE, remote_key } };
	}
	MUST(ibv_post_send(side->id->qp, request, &bad));
}

static void set_up(struct side *side, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = { .cap = { SENDS, BUFFERS, 1, 1, 0 }, .qp_type = IBV_QPT_RC };
	int size = 2 * BUFFERS * BUFFER_SIZE;
	side->id = id;
	side->sent = 0;
	side->completions = NULL;
	MUST((side->pd = ibv_alloc_pd(id->verbs)) == NULL);
	if (by_event) {
		MUST((side->completions = ibv_create_comp_channel(id->verbs)) == NULL);
		MUST(fcntl(side->completions->fd, F_SETFL, O_NONBLOCK));
	}
	MUST((side->cq = ibv_create_cq(id->verbs, SENDS + BUFFERS, NULL, side->completions, 0)) == NULL);
	if (by_event)
		MUST(ibv_req_notify_cq(side->cq, 0));
	MUST(posix_memalign((void **)&side->memory, BUFFER_SIZE, size));
	memset(side->memory, 'x', size);
	MUST((side->mr = ibv_reg_mr(side->pd, side->memory, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)) == NULL);
	init.send_cq = init.recv_cq = side->cq;
	MUST(rdma_create_qp(id, side->pd, &init));
	for (int i = 0; i < BUFFERS; i++)
		post_receive(side, i);
}

/* The minimal RNR timer that the starter sets as well; the connection manager leaves 655 ms. */
static void shorten_rnr_wait(struct rdma_cm_id *id)
{
	struct ibv_qp_attr attributes = { .min_rnr_timer = 12 };
	MUST(ibv_modify_qp(id->qp, &attributes, IBV_QP_MIN_RNR_TIMER));
}

static void tear_down(struct side *side)
{
	rdma_destroy_qp(side->id);
	MUST(ibv_dereg_mr(side->mr));
	MUST(ibv_destroy_cq(side->cq));
	if (side->completions != NULL)
		MUST(ibv_destroy_comp_channel(side->completions));
	MUST(ibv_dealloc_pd(side->pd));
	MUST(rdma_destroy_id(side->id));
	free(side->memory);
}

/* Takes completions, waiting for an event if there is a completion channel. Returns -1 when there may be CM events. */
static int take(struct side *side, struct ibv_wc *completed)
{
	static int spins;
	int count;
	if (by_event) {
		struct pollfd ready[] = { { side->completions->fd, POLLIN, 0 }, { channel->fd, POLLIN, 0 } };
		struct ibv_cq *cq;
		void *context;
		poll(ready, 2, TIMEOUT_MS);
		if (ready[0].revents == 0)
			return -1;
		MUST(ibv_get_cq_event(side->completions, &cq, &context));
		ibv_ack_cq_events(cq, 1);
		MUST(ibv_req_notify_cq(cq, 0));
	}
	count = ibv_poll_cq(side->cq, LIST, completed);
	MUST(count < 0);
	for (int i = 0; i < count; i++)
		if (completed[i].status != IBV_WC_SUCCESS && completed[i].status != IBV_WC_WR_FLUSH_ERR) {
			fprintf(stderr, "completion failed: %s\n", ibv_wc_status_str(completed[i].status));
			exit(1);
		}
	if (count == 0 && !by_event && ++spins % SPINS == 0)
		return -1;
	return count;
}

static struct rdma_cm_id *await_event(enum rdma_cm_event_type expected)
{
	struct rdma_cm_event *event;
	struct pollfd ready = { channel->fd, POLLIN, 0 };
	while (1) {
		struct rdma_cm_id *id;
		enum rdma_cm_event_type type;
		if (rdma_get_cm_event(channel, &event) != 0) {
			poll(&ready, 1, -1);
			continue;
		}
		id = event->id;
		type = event->event;
		MUST(rdma_ack_cm_event(event));
		if (type == expected)
			return id;
		if (type != RDMA_CM_EVENT_TIMEWAIT_EXIT && type != RDMA_CM_EVENT_DISCONNECTED) {
			fprintf(stderr, "unexpected event %s\n", rdma_event_str(type));
			exit(1);
		}
	}
}

static int is_disconnected(void)
{
	struct rdma_cm_event *event;
	enum rdma_cm_event_type type;
	if (rdma_get_cm_event(channel, &event) != 0)
		return 0;
	type = event->event;
	MUST(rdma_ack_cm_event(event));
	return type == RDMA_CM_EVENT_DISCONNECTED;
}

static void open_channel(int port, struct sockaddr_in *address)
{
	MUST((channel = rdma_create_event_channel()) == NULL);
	MUST(fcntl(channel->fd, F_SETFL, O_NONBLOCK));
	address->sin_family = AF_INET;
	address->sin_port = htons(port);
	inet_pton(AF_INET, ADDRESS, &address->sin_addr);
}

static void serve_connection(struct rdma_cm_id *id)
{
	struct rdma_conn_param parameters = { .responder_resources = 1, .initiator_depth = 1, .retry_count = 6, .rnr_retry_count = 7 };
	struct side side;
	struct ibv_wc completed[LIST];
	char hello[20];
	uint64_t address, length = htobe64(LIST * BUFFER_SIZE);
	uint32_t key;
	set_up(&side, id);
	MUST(rdma_accept(id, &parameters));
	await_event(RDMA_CM_EVENT_ESTABLISHED);
	shorten_rnr_wait(id);
	address = htobe64((uintptr_t)side.memory);
	key = htobe32(side.mr->rkey);
	memcpy(hello, &address, 8);
	memcpy(hello + 8, &key, 4);
	memcpy(hello + 12, &length, 8);
	post_send(&side, hello, sizeof hello);
	while (1) {
		int count = take(&side, completed);
		if (count < 0 && is_disconnected())
			break;
		for (int i = 0; i < count; i++)
			if (completed[i].status == IBV_WC_SUCCESS && completed[i].opcode == IBV_WC_RECV) {
				post_send(&side, receive_buffer(&side, completed[i].wr_id), completed[i].byte_len);
				post_receive(&side, completed[i].wr_id);
			}
	}
	rdma_disconnect(id);
	tear_down(&side);
}

static void serve(int port)
{
	struct sockaddr_in address = { 0 };
	struct rdma_cm_id *listener;
	open_channel(port, &address);
	MUST(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP));
	MUST(rdma_bind_addr(listener, (struct sockaddr *)&address));
	MUST(rdma_listen(listener, 0));
	printf("listening\n");
	fflush(stdout);
	while (1)
		serve_connection(await_event(RDMA_CM_EVENT_CONNECT_REQUEST));
}

static void await_hello(struct side *side)
{
	struct ibv_wc completed[LIST];
	while (1) {
		int count = take(side, completed);
		for (int i = 0; i < count; i++)
			if (completed[i].opcode == IBV_WC_RECV) {
				char *hello = receive_buffer(side, completed[i].wr_id);
				memcpy(&remote_address, hello, 8);
				memcpy(&remote_key, hello + 8, 4);
				remote_address = be64toh(remote_address);
				remote_key = be32toh(remote_key);
				post_receive(side, completed[i].wr_id);
				return;
			}
	}
}

static void connect_to(int port, struct side *side)
{
	struct rdma_conn_param parameters = { .responder_resources = 1, .initiator_depth = 1, .retry_count = 6, .rnr_retry_count = 7 };
	struct sockaddr_in address = { 0 };
	struct rdma_cm_id *id;
	open_channel(port, &address);
	MUST(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	MUST(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, TIMEOUT_MS));
	await_event(RDMA_CM_EVENT_ADDR_RESOLVED);
	MUST(rdma_resolve_route(id, TIMEOUT_MS));
	await_event(RDMA_CM_EVENT_ROUTE_RESOLVED);
	set_up(side, id);
	MUST(rdma_connect(id, &parameters));
	await_event(RDMA_CM_EVENT_ESTABLISHED);
	shorten_rnr_wait(id);
	await_hello(side);
}

static void ping(struct side *side, int rounds, int size)
{
	static char message[BUFFER_SIZE];
	struct ibv_wc completed[LIST];
	int received = 0;
	post_send(side, message, size);
	while (received < rounds) {
		int count = take(side, completed);
		for (int i = 0; i < count; i++)
			if (completed[i].opcode == IBV_WC_RECV) {
				if (++received < rounds)
					post_send(side, message, size);
				post_receive(side, completed[i].wr_id);
			}
	}
}

static void stream(struct side *side, int batches)
{
	struct ibv_wc completed[LIST];
	int posted = 0, done = 0;
	while (posted < LISTS_IN_FLIGHT && posted < batches) {
		post_writes(side);
		posted++;
	}
	while (done < batches) {
		int count = take(side, completed);
		for (int i = 0; i < count; i++)
			if (completed[i].opcode == IBV_WC_RDMA_WRITE) {
				done++;
				if (posted < batches) {
					post_writes(side);
					posted++;
				}
			}
	}
}

static void run(struct side *side, int is_stream, int count, int size)
{
	if (is_stream)
		stream(side, count);
	else
		ping(side, count, size);
}

int main(int argc, char **argv)
{
	if (argc >= 4 && (strcmp(argv[3], "event") == 0 || strcmp(argv[3], "poll") == 0)) {
		int port = atoi(argv[2]), is_stream = argc == 7 && strcmp(argv[4], "stream") == 0;
		by_event = strcmp(argv[3], "event") == 0;
		if (argc == 4 && strcmp(argv[1], "server") == 0) {
			serve(port);
			return 0;
		}
		if (strcmp(argv[1], "client") == 0 && (is_stream || (argc == 8 && strcmp(argv[4], "ping") == 0))) {
			int size = is_stream ? 0 : atoi(argv[7]);
			struct side side;
			long begin;
			connect_to(port, &side);
			run(&side, is_stream, atoi(argv[5]), size);
			begin = now_us();
			run(&side, is_stream, atoi(argv[6]), size);
			printf("%ld\n", now_us() - begin);
			rdma_disconnect(side.id);
			tear_down(&side);
			return 0;
		}
	}
	fprintf(stderr, "usage: round-trip server PORT event|poll | client PORT event|poll ping WARM-UP ROUNDS SIZE | "
			"client PORT event|poll stream WARM-UP BATCHES\n");
	return 2;
}
