// A plain web application on net/http: its flags choose what a request does, and so what limits it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	host        = flag.String("host", "127.0.0.1", "the address where it listens")
	port        = flag.Int("port", 0, "where it listens")
	cpuMs       = flag.Float64("cpu-ms", 0, "CPU time of a request")
	sleepMs     = flag.Float64("sleep-ms", 0, "what a request waits")
	places      = flag.Int("places", 0, "requests that go on at a time")
	heldMs      = flag.Float64("held-ms", 0, "how long each holds its place")
	lockMs      = flag.Float64("lock-ms", 0, "how long each holds the mutex")
	turnsMs     = flag.Float64("turns-ms", 0, "how long CPU and mutex take turns")
	rate        = flag.Float64("rate", 0, "requests/s of the token bucket")
	burst       = flag.Float64("burst", 1, "tokens that it holds")
	upstream    = flag.String("upstream", "", "asked for each request")
	fresh       = flag.Bool("fresh", false, "over a connection of its own")
	database    = flag.String("database", "", "host:port/name")
	connections = flag.Int("connections", 4, "to the database")
	statement   = flag.String("statement", "sleep:10", "function and its argument")
	names       = flag.String("names", "", "the name server")
	logTo       = flag.String("log", "", "a line for each request")
	syncIn      = flag.String("sync", "", "folder where each request syncs 16 kB")
	readIn      = flag.String("read", "", "folder from where each request reads 64 kB")
	writeIn     = flag.String("write", "", "folder where each request writes 128 kB")
	bytesOut    = flag.Int("bytes", 200, "of an answer")
	allKb       = flag.Float64("all-kb", 0, "kB/s that all users get together")
	backlog     = flag.Int("backlog", 0, "connections that may wait")
	acceptMs    = flag.Float64("accept-ms", 0, "what accepting one takes")
	pieces      = flag.Bool("pieces", false, "answer in two pieces, with Nagle's algorithm")
)

type step func(*http.Request) error

func ms(value float64) time.Duration { return time.Duration(value * float64(time.Millisecond)) }

// spin burns CPU time of its own thread, so that it does the same work whatever else runs.
func spin(much time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var usage syscall.Rusage
		_ = syscall.Getrusage(1, &usage) // RUSAGE_THREAD
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	sum := uint64(1)
	for end := used() + much; used() < end; {
		for range 20000 {
			sum = sum*6364136223846793005 + 1442695040888963407
		}
	}
	runtime.KeepAlive(sum)
}

// bucket hands out times at a rate; up to burst of them at once.
type bucket struct {
	mutex sync.Mutex
	next  time.Time
	each  time.Duration
	burst float64
}

func (b *bucket) wait(much float64) {
	b.mutex.Lock()
	now := time.Now()
	if early := now.Add(-time.Duration(b.burst * float64(b.each))); b.next.Before(early) {
		b.next = early
	}
	at := b.next
	b.next = at.Add(time.Duration(much * float64(b.each)))
	b.mutex.Unlock()
	time.Sleep(time.Until(at))
}

func aligned(size int) []byte {
	whole := make([]byte, size+4096)
	skip := 4096 - int(uintptr(unsafe.Pointer(&whole[0]))%4096)
	return whole[skip : skip+size]
}

const fileBytes = 64 << 20

func fileOf(folder string, flags int) *os.File {
	path := filepath.Join(folder, "data")
	if _, err := os.Stat(path); err != nil {
		made, err := os.Create(path)
		check(err)
		block := make([]byte, 1<<20)
		for range fileBytes >> 20 {
			_, err = made.Write(block)
			check(err)
		}
		check(made.Sync())
		check(made.Close())
	}
	file, err := os.OpenFile(path, flags|syscall.O_DIRECT, 0o644)
	check(err)
	return file
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func steps() []step {
	var all []step
	add := func(one step) { all = append(all, one) }
	if *rate > 0 {
		tokens := &bucket{each: time.Duration(float64(time.Second) / *rate), burst: *burst}
		add(func(*http.Request) error { tokens.wait(1); return nil })
	}
	var mutex sync.Mutex
	begun := time.Now()
	turn := func(which int64) bool {
		return *turnsMs == 0 || int64(time.Since(begun)/ms(*turnsMs))%2 == which
	}
	if *cpuMs > 0 {
		add(func(*http.Request) error {
			if turn(0) {
				spin(ms(*cpuMs))
			}
			return nil
		})
	}
	if *lockMs > 0 {
		add(func(*http.Request) error {
			if turn(1) {
				mutex.Lock()
				defer mutex.Unlock()
				time.Sleep(ms(*lockMs))
			}
			return nil
		})
	}
	if *places > 0 {
		free := make(chan struct{}, *places)
		add(func(*http.Request) error {
			free <- struct{}{}
			defer func() { <-free }()
			time.Sleep(ms(*heldMs))
			return nil
		})
	}
	if *sleepMs > 0 {
		add(func(*http.Request) error { time.Sleep(ms(*sleepMs)); return nil })
	}
	if *names != "" {
		resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", *names)
		}}
		add(func(request *http.Request) error {
			_, err := resolver.LookupIP(request.Context(), "ip4", "shop.example.test.")
			return err
		})
	}
	if *upstream != "" {
		client := &http.Client{Transport: &http.Transport{
			MaxIdleConns: 1000, MaxIdleConnsPerHost: 1000, DisableKeepAlives: *fresh,
		}}
		add(func(*http.Request) error {
			answer, err := client.Get(*upstream)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			_, err = io.Copy(io.Discard, answer.Body)
			if err == nil && answer.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s answered %s", *upstream, answer.Status)
			}
			return err
		})
	}
	if *database != "" {
		add(query())
	}
	if *logTo != "" {
		file, err := os.OpenFile(*logTo, os.O_WRONLY|os.O_APPEND, 0)
		check(err)
		logger := log.New(file, "", log.LstdFlags) // holds a lock while it writes
		add(func(request *http.Request) error {
			logger.Print(request.URL.Path, strings.Repeat(" line", 40))
			return nil
		})
	}
	return append(all, files()...)
}

func query() step {
	config, err := pgxpool.ParseConfig("postgres://shop@" + *database + "?sslmode=disable")
	check(err)
	config.ConnConfig.Password = os.Getenv("PGPASSWORD")
	config.MaxConns = int32(*connections)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	check(err)
	function, argument, _ := strings.Cut(*statement, ":")
	text := "SELECT " + function + "(" + argument + ")"
	if function == "sleep" {
		text = "SELECT pg_sleep(" + argument + " / 1000.0)"
	}
	return func(request *http.Request) error {
		_, err := pool.Exec(context.Background(), text)
		return err
	}
}

func files() []step {
	var all []step
	if *syncIn != "" {
		free := make(chan *os.File, 100)
		for number := range cap(free) {
			file, err := os.Create(filepath.Join(*syncIn, "log-"+strconv.Itoa(number)))
			check(err)
			free <- file
		}
		line := make([]byte, 16<<10)
		all = append(all, func(*http.Request) error {
			file := <-free
			defer func() { free <- file }()
			if _, err := file.Write(line); err != nil {
				return err
			}
			return file.Sync()
		})
	}
	at := func(size int) int64 { return int64(rand.Intn(fileBytes/size)) * int64(size) }
	if *readIn != "" {
		file := fileOf(*readIn, os.O_RDONLY)
		all = append(all, func(*http.Request) error {
			_, err := file.ReadAt(aligned(64<<10), at(64<<10))
			return err
		})
	}
	if *writeIn != "" {
		file := fileOf(*writeIn, os.O_WRONLY|syscall.O_DSYNC)
		all = append(all, func(*http.Request) error {
			_, err := file.WriteAt(aligned(128<<10), at(128<<10))
			return err
		})
	}
	return all
}

func answer(writer http.ResponseWriter, shared *bucket) {
	body := make([]byte, *bytesOut)
	writer.Header().Set("Content-Type", "application/octet-stream")
	writer.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if *pieces {
		_, _ = writer.Write(body[:len(body)/2])
		_ = http.NewResponseController(writer).Flush()
		_, _ = writer.Write(body[len(body)/2:])
		return
	}
	for shared != nil && len(body) > 0 {
		part := min(len(body), 4000)
		shared.wait(float64(part))
		if _, err := writer.Write(body[:part]); err != nil {
			return
		}
		_ = http.NewResponseController(writer).Flush()
		body = body[part:]
	}
	_, _ = writer.Write(body)
}

type slow struct{ net.Listener }

func (s slow) Accept() (net.Conn, error) {
	time.Sleep(ms(*acceptMs))
	return s.Listener.Accept()
}

func listen() net.Listener {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	check(err)
	check(syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	check(syscall.Bind(fd, &syscall.SockaddrInet4{Port: *port, Addr: [4]byte(net.ParseIP(*host).To4())}))
	waiting := *backlog
	if waiting == 0 {
		waiting = 1024
	}
	check(syscall.Listen(fd, waiting))
	file := os.NewFile(uintptr(fd), "listener")
	listener, err := net.FileListener(file)
	check(err)
	check(file.Close())
	if *acceptMs > 0 {
		return slow{listener}
	}
	return listener
}

func main() {
	flag.Parse()
	todo := steps()
	var shared *bucket
	if *allKb > 0 {
		shared = &bucket{each: time.Duration(1e6 / *allKb), burst: 8000}
	}
	server := &http.Server{Handler: http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		for _, one := range todo {
			if err := one(request); err != nil {
				http.Error(writer, err.Error(), http.StatusBadGateway)
				return
			}
		}
		answer(writer, shared)
	})}
	server.ConnContext = func(ctx context.Context, connection net.Conn) context.Context {
		if *pieces {
			_ = connection.(*net.TCPConn).SetNoDelay(false)
		}
		return ctx
	}
	log.Fatal(server.Serve(listen()))
}
