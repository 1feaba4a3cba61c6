// A plain web application on the JDK's HTTP server: its flags choose what a request does, and so what limits it.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

public final class App {
  private interface Step {
    void run() throws Exception;
  }

  private static final Map<String, String> FLAGS = new HashMap<>();
  private static final Object MONITOR = new Object();
  private static final List<Object> LIVE = new ArrayList<>();
  private static volatile long sink;
  private static volatile Object last;
  private static double next;

  private static double number(String name, double otherwise) {
    return FLAGS.containsKey(name) ? Double.parseDouble(FLAGS.get(name)) : otherwise;
  }

  private static void sleep(double ms) throws InterruptedException {
    if (ms > 0) {
      Thread.sleep((long) ms, (int) ((ms - (long) ms) * 1e6));
    }
  }

  /** Burns CPU time of its own thread, so that it does the same work whatever else runs. */
  private static void spin(double ms) {
    var threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + (long) (ms * 1e6);
    long sum = 1;
    while (threads.getCurrentThreadCpuTime() < end) {
      for (int i = 0; i < 20000; i++) {
        sum = sum * 6364136223846793005L + 1442695040888963407L;
      }
    }
    sink = sum;
  }

  /** Waits for a token: up to `burst` of them are there at once. */
  private static void token(double rate, double burst) throws InterruptedException {
    double wait;
    synchronized (FLAGS) {
      double now = System.nanoTime() / 1e9;
      next = Math.max(next, now - burst / rate);
      wait = next - now;
      next += 1 / rate;
    }
    sleep(wait * 1000);
  }

  private static void hold(double ms) throws InterruptedException {
    synchronized (MONITOR) {
      sleep(ms);
    }
  }

  private static List<Step> steps() throws Exception {
    var all = new ArrayList<Step>();
    double rate = number("rate", 0), burst = number("burst", 1);
    if (rate > 0) {
      all.add(() -> token(rate, burst));
    }
    double cpu = number("cpu-ms", 0), lock = number("lock-ms", 0), turns = number("turns-ms", 0);
    long begun = System.nanoTime();
    if (turns > 0) {
      all.add(() -> {
        if ((long) ((System.nanoTime() - begun) / 1e6 / turns) % 2 == 0) {
          spin(cpu);
        } else {
          hold(lock);
        }
      });
    } else {
      if (cpu > 0) {
        all.add(() -> spin(cpu));
      }
      if (lock > 0) {
        all.add(() -> hold(lock));
      }
    }
    if (FLAGS.containsKey("places")) {
      var places = new Semaphore((int) number("places", 1));
      double held = number("held-ms", 0);
      all.add(() -> {
        places.acquire();
        try {
          sleep(held);
        } finally {
          places.release();
        }
      });
    }
    double wait = number("sleep-ms", 0);
    if (wait > 0) {
      all.add(() -> sleep(wait));
    }
    if (FLAGS.containsKey("garbage-kib")) {
      int kib = (int) number("garbage-kib", 0);
      all.add(() -> {
        for (int i = 0; i < kib; i++) {
          last = new byte[1008];
        }
      });
    }
    if (FLAGS.containsKey("database")) {
      all.add(query());
    }
    if (FLAGS.containsKey("sync")) {
      all.add(sync());
    }
    return all;
  }

  private static Step query() throws Exception {
    int number = (int) number("connections", 4);
    BlockingQueue<Connection> pool = new ArrayBlockingQueue<>(number);
    for (int i = 0; i < number; i++) {
      pool.add(DriverManager.getConnection(
          "jdbc:postgresql://" + FLAGS.get("database"), "shop", System.getenv("PGPASSWORD")));
    }
    String[] words = FLAGS.get("statement").split(":");
    String text = words[0].equals("sleep")
        ? "SELECT pg_sleep(" + words[1] + " / 1000.0)"
        : "SELECT " + words[0] + "(" + words[1] + ")";
    return () -> {
      Connection one = pool.take();
      try (var statement = one.createStatement()) {
        statement.execute(text);
      } finally {
        pool.add(one);
      }
    };
  }

  private static Step sync() throws Exception {
    BlockingQueue<FileChannel> free = new ArrayBlockingQueue<>(100);
    for (int i = 0; i < 100; i++) {
      free.add(FileChannel.open(Path.of(FLAGS.get("sync"), "log-" + i),
          StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    }
    int size = (int) number("sync-kb", 16) * 1024;
    return () -> {
      FileChannel file = free.take();
      try {
        file.write(ByteBuffer.allocate(size));
        file.force(false);
      } finally {
        free.add(file);
      }
    };
  }

  private static void serve(HttpExchange exchange, List<Step> steps, byte[] body) throws IOException {
    byte[] answer = body;
    int status = 200;
    try {
      for (Step one : steps) {
        one.run();
      }
    } catch (Exception error) {
      status = 502;
      answer = (error + "\n").getBytes();
    }
    exchange.sendResponseHeaders(status, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private static void collect(double everyMs) {
    var thread = new Thread(() -> {
      while (true) {
        try {
          sleep(everyMs);
        } catch (InterruptedException error) {
          return;
        }
        System.gc();
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < arguments.length; i++) {
      String name = arguments[i].substring(2);
      boolean alone = i + 1 == arguments.length || arguments[i + 1].startsWith("--");
      FLAGS.put(name, alone ? "" : arguments[++i]);
    }
    // Its default is Nagle's algorithm, which nearly everybody who uses it turns off.
    System.setProperty("sun.net.httpserver.nodelay", String.valueOf(!FLAGS.containsKey("nagle")));
    for (long left = (long) number("live-mib", 0) << 20; left > 0; left -= 64) {
      LIVE.add(new Object[12]);
    }
    if (FLAGS.containsKey("collect-ms")) {
      collect(number("collect-ms", 1000));
    }
    var steps = steps();
    byte[] body = new byte[(int) number("bytes", 200)];
    var server = HttpServer.create(
        new InetSocketAddress(FLAGS.getOrDefault("host", "127.0.0.1"), (int) number("port", 0)),
        (int) number("backlog", 1024));
    server.createContext("/", exchange -> serve(exchange, steps, body));
    server.setExecutor(Executors.newFixedThreadPool((int) number("threads", 16)));
    server.start();
  }
}
