/*
 * What the benchmark compares the starter with: the same connections, destroyed in the same order, by librdmacm and
 * libibverbs directly, on one thread.
 *
 *   shutdown self N                  N connections of this process to itself, then their destroy
 *   shutdown silent N PORT GRACE     N connections to "shutdown peer PORT"; destroyed when standard input ends or
 *                                    brings a line, waiting at most GRACE ms for all peers together
 *   shutdown peer PORT               accepts connections until it is killed
 *   shutdown serve N PORT            N connections from "shutdown call N PORT"; destroyed when standard input ends or
 *                                    brings a line
 *   shutdown call N PORT             N connections to that, or to the starter's half; they end with those of the other
 *                                    side, the process when it is killed
 *   shutdown idle N                  N ids created, then destroyed
 *
 * Prints the microseconds of the destroy (idle: of the creation and of the destroy) and the number of calls of the
 * libraries and the kernel that it took, all ids together.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>

#define ADDRESS "192.0.2.1"
#define WORK_REQUESTS 2
#define BUFFER_SIZE 64
#define PAGE 4096
#define CONNECTING_AT_ONCE 16
#define TIMEOUT_MS 60000

/* Counts a call of the libraries or the kernel and makes it. */
#define CALL(call) (calls++, (call))

/* A call that returns 0, or what follows is worth nothing. */
#define MUST(call) \
	do { \
		if ((call) != 0) { \
			fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, strerror(errno)); \
			exit(1); \
		} \
	} while (0)

struct connection {
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	char *memory;
	int outstanding;
	int disconnected;
};

static long calls;
static struct rdma_event_channel *channel;
static struct ibv_comp_channel *completions;
static struct ibv_pd *pd;
static struct connection *connections;
static int calling;
static int count, capacity, established, disconnected, clients, clients_wanted;
static struct sockaddr_in server;

static long now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static struct connection *add(struct rdma_cm_id *id)
{
	struct connection *connection;
	if (count == capacity) {
		fprintf(stderr, "more connections than expected\n");
		exit(1);
	}
	connection = &connections[count++];
	connection->id = id;
	id->context = connection;
	return connection;
}

static void set_up(struct connection *connection)
{
	struct rdma_cm_id *id = connection->id;
	struct ibv_qp_init_attr init = { .cap = { WORK_REQUESTS, WORK_REQUESTS, 1, 1, 0 }, .qp_type = IBV_QPT_RC, .sq_sig_all = 1 };
	if (pd == NULL) {
		MUST((pd = ibv_alloc_pd(id->verbs)) == NULL);
		MUST((completions = ibv_create_comp_channel(id->verbs)) == NULL);
	}
	MUST((connection->cq = ibv_create_cq(id->verbs, 2 * WORK_REQUESTS, NULL, completions, 0)) == NULL);
	MUST(ibv_req_notify_cq(connection->cq, 0));
	MUST(posix_memalign((void **)&connection->memory, PAGE, 2 * WORK_REQUESTS * BUFFER_SIZE));
	MUST((connection->mr = ibv_reg_mr(pd, connection->memory, 2 * WORK_REQUESTS * BUFFER_SIZE, IBV_ACCESS_LOCAL_WRITE)) == NULL);
	init.send_cq = init.recv_cq = connection->cq;
	MUST(rdma_create_qp(id, pd, &init));
	for (int i = 0; i < WORK_REQUESTS; i++) {
		struct ibv_sge sge = { (uintptr_t)connection->memory + i * BUFFER_SIZE, BUFFER_SIZE, connection->mr->lkey };
		struct ibv_recv_wr request = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;
		MUST(ibv_post_recv(id->qp, &request, &bad));
		connection->outstanding++;
	}
}

static void connect_next(void)
{
	struct rdma_cm_id *id;
	if (clients == clients_wanted)
		return;
	clients++;
	MUST(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	add(id);
	MUST(rdma_resolve_addr(id, NULL, (struct sockaddr *)&server, TIMEOUT_MS));
}

static void handle(struct rdma_cm_event *event)
{
	struct rdma_conn_param parameters = { .responder_resources = 1, .initiator_depth = 1, .retry_count = 6, .rnr_retry_count = 7 };
	struct rdma_cm_id *id = event->id;
	struct connection *connection = id->context;
	enum rdma_cm_event_type type = event->event;
	int status = event->status;
	MUST(CALL(rdma_ack_cm_event(event)));
	switch (type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		MUST(rdma_resolve_route(id, TIMEOUT_MS));
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		set_up(connection);
		MUST(rdma_connect(id, &parameters));
		break;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		connection = add(id);
		set_up(connection);
		MUST(rdma_accept(id, &parameters));
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		established++;
		if (clients > 0 && connection->id->route.addr.dst_sin.sin_port == server.sin_port)
			connect_next();
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		if (!connection->disconnected) {
			connection->disconnected = 1;
			disconnected++;
			if (calling)
				MUST(rdma_disconnect(id));
		}
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		fprintf(stderr, "unexpected event %s, status %d\n", rdma_event_str(type), status);
		exit(1);
	}
}

/* Serves events until the condition's variable has reached its value or the time is up. */
static void serve_events(int *value, int until, int timeout_ms)
{
	long end = now_us() + timeout_ms * 1000L;
	while (*value < until) {
		struct pollfd ready = { channel->fd, POLLIN, 0 };
		struct rdma_cm_event *event;
		long left = (end - now_us() + 999) / 1000;
		if (left <= 0)
			return;
		CALL(poll(&ready, 1, left));
		while (*value < until && CALL(rdma_get_cm_event(channel, &event)) == 0)
			handle(event);
	}
}

static void open_channel(void)
{
	MUST((channel = rdma_create_event_channel()) == NULL);
	MUST(fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK));
}

static void set_server(int port)
{
	server.sin_family = AF_INET;
	server.sin_port = htons(port);
	inet_pton(AF_INET, ADDRESS, &server.sin_addr);
}

static struct rdma_cm_id *listen_on(int port)
{
	struct rdma_cm_id *listener;
	set_server(port);
	MUST(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP));
	MUST(rdma_bind_addr(listener, (struct sockaddr *)&server));
	MUST(rdma_listen(listener, 0));
	server.sin_port = rdma_get_src_port(listener);
	return listener;
}

static void allocate(int most)
{
	capacity = most;
	MUST((connections = calloc(most, sizeof *connections)) == NULL);
}

static void establish(int wanted, int events)
{
	clients_wanted = wanted;
	for (int i = 0; i < CONNECTING_AT_ONCE; i++)
		connect_next();
	serve_events(&established, events, 10 * TIMEOUT_MS);
	if (established < events) {
		fprintf(stderr, "only %d of %d established\n", established, events);
		exit(1);
	}
}

static void drain(struct connection *connection)
{
	struct ibv_wc completed[16];
	while (connection->outstanding > 0) {
		int got = CALL(ibv_poll_cq(connection->cq, 16, completed));
		MUST(got < 0);
		connection->outstanding -= got;
		if (got == 0)
			sched_yield();
	}
}

static void destroy_all(struct rdma_cm_id *listener, int grace_ms)
{
	long begin = now_us(), took;
	calls = 0;
	if (listener != NULL)
		MUST(CALL(rdma_destroy_id(listener)));
	for (int i = 0; i < count; i++)
		MUST(CALL(rdma_disconnect(connections[i].id)));
	serve_events(&disconnected, count, grace_ms);
	for (int i = 0; i < count; i++)
		drain(&connections[i]);
	for (int i = 0; i < count; i++) {
		MUST(CALL(ibv_destroy_qp(connections[i].id->qp)));
		connections[i].id->qp = NULL;
	}
	for (int i = 0; i < count; i++)
		MUST(CALL(ibv_dereg_mr(connections[i].mr)));
	for (int i = 0; i < count; i++)
		MUST(CALL(ibv_destroy_cq(connections[i].cq)));
	MUST(CALL(ibv_destroy_comp_channel(completions)));
	MUST(CALL(ibv_dealloc_pd(pd)));
	for (int i = 0; i < count; i++)
		MUST(CALL(rdma_destroy_id(connections[i].id)));
	CALL(rdma_destroy_event_channel(channel));
	took = now_us() - begin;
	printf("%ld %ld\n", took, calls);
}

static void self(int wanted)
{
	struct rdma_cm_id *listener;
	allocate(2 * wanted);
	open_channel();
	listener = listen_on(0);
	establish(wanted, 2 * wanted);
	destroy_all(listener, 3000);
}

static void silent(int wanted, int port, int grace_ms)
{
	allocate(wanted);
	open_channel();
	set_server(port);
	establish(wanted, wanted);
	printf("established\n");
	fflush(stdout);
	getchar();
	destroy_all(NULL, grace_ms);
}

static void peer(int port)
{
	int never = 0;
	allocate(100000);
	open_channel();
	listen_on(port);
	printf("listening\n");
	fflush(stdout);
	while (1)
		serve_events(&never, 1, TIMEOUT_MS);
}

static void serve(int wanted, int port)
{
	struct rdma_cm_id *listener;
	allocate(wanted);
	open_channel();
	listener = listen_on(port);
	printf("listening\n");
	fflush(stdout);
	serve_events(&established, wanted, 10 * TIMEOUT_MS);
	printf("established\n");
	fflush(stdout);
	getchar();
	destroy_all(listener, 3000);
}

static void call(int wanted, int port)
{
	calling = 1;
	allocate(wanted);
	open_channel();
	set_server(port);
	establish(wanted, wanted);
	serve_events(&disconnected, wanted, 10 * TIMEOUT_MS);
	pause();
}

static void idle(int wanted)
{
	struct rdma_cm_id **ids = calloc(wanted, sizeof *ids);
	long begin, created, destroyed;
	open_channel();
	begin = now_us();
	for (int i = 0; i < wanted; i++)
		MUST(CALL(rdma_create_id(channel, &ids[i], NULL, RDMA_PS_TCP)));
	created = now_us();
	for (int i = 0; i < wanted; i++)
		MUST(CALL(rdma_destroy_id(ids[i])));
	destroyed = now_us();
	printf("%ld %ld %ld\n", created - begin, destroyed - created, calls);
	rdma_destroy_event_channel(channel);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "self") == 0)
		self(atoi(argv[2]));
	else if (argc == 5 && strcmp(argv[1], "silent") == 0)
		silent(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	else if (argc == 3 && strcmp(argv[1], "peer") == 0)
		peer(atoi(argv[2]));
	else if (argc == 4 && strcmp(argv[1], "serve") == 0)
		serve(atoi(argv[2]), atoi(argv[3]));
	else if (argc == 4 && strcmp(argv[1], "call") == 0)
		call(atoi(argv[2]), atoi(argv[3]));
	else if (argc == 3 && strcmp(argv[1], "idle") == 0)
		idle(atoi(argv[2]));
	else {
		fprintf(stderr, "usage: shutdown self N | silent N PORT GRACE | peer PORT | serve N PORT | call N PORT | idle N\n");
		return 2;
	}
	return 0;
}
