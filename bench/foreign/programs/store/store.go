// A plain web application before MariaDB or memcached: its flags choose what a request asks for.
package main

import (
	"database/sql"
	"flag"
	"fmt"
	"log"
	"net/http"
	"runtime"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	_ "github.com/go-sql-driver/mysql"
)

var (
	host        = flag.String("host", "127.0.0.1", "the address where it listens")
	port        = flag.Int("port", 0, "where it listens")
	mysql       = flag.String("mysql", "", "host:port of MariaDB, with the database shop")
	connections = flag.Int("connections", 4, "to MariaDB")
	statement   = flag.String("statement", "SELECT 1", "said for each request")
	memcached   = flag.String("memcached", "", "host:port of memcached")
	valueKb     = flag.Int("value-kb", 100, "of the value that each request reads from it")
	rounds      = flag.Int("rounds", 0, "of arithmetic in each request")
	liveMib     = flag.Int("live-mib", 0, "of small objects that stay")
	garbageKib  = flag.Int("garbage-kib", 0, "of small objects that each request drops")
)

type node struct {
	next *node
	rest [6]uint64
}

var (
	live    *node
	dropped *node
)

func chain(bytes int) *node {
	var first *node
	for ; bytes > 0; bytes -= 56 {
		first = &node{next: first}
	}
	return first
}

func steps() []func() error {
	var all []func() error
	if *mysql != "" {
		database, err := sql.Open("mysql", "shop@tcp("+*mysql+")/shop")
		if err != nil {
			log.Fatal(err)
		}
		database.SetMaxOpenConns(*connections)
		database.SetMaxIdleConns(*connections)
		all = append(all, func() error { _, err := database.Exec(*statement); return err })
	}
	if *memcached != "" {
		client := memcache.New(*memcached)
		client.MaxIdleConns = 100
		client.Timeout = 30 * time.Second
		value := &memcache.Item{Key: "page", Value: make([]byte, *valueKb<<10)}
		if err := client.Set(value); err != nil {
			log.Fatal(err)
		}
		all = append(all, func() error { _, err := client.Get("page"); return err })
	}
	if *garbageKib > 0 {
		all = append(all, func() error { dropped = chain(*garbageKib << 10); return nil })
	}
	if *rounds > 0 {
		all = append(all, func() error {
			sum := uint64(1)
			for range *rounds {
				sum = sum*6364136223846793005 + 1442695040888963407
			}
			runtime.KeepAlive(sum)
			return nil
		})
	}
	return all
}

func main() {
	flag.Parse()
	live = chain(*liveMib << 20)
	todo := steps()
	http.HandleFunc("/", func(writer http.ResponseWriter, _ *http.Request) {
		for _, one := range todo {
			if err := one(); err != nil {
				http.Error(writer, err.Error(), http.StatusBadGateway)
				return
			}
		}
		fmt.Fprintf(writer, "%0200d\n", 0)
	})
	log.Fatal(http.ListenAndServe(fmt.Sprintf("%s:%d", *host, *port), nil))
}
