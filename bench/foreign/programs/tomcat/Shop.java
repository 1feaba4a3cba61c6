// A plain servlet in an embedded Tomcat: its flags choose what a request does, and so what limits it.

import com.google.common.util.concurrent.RateLimiter;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.catalina.startup.Tomcat;

public final class Shop extends HttpServlet {
  private interface Step {
    void run() throws Exception;
  }

  private static final Map<String, String> FLAGS = new HashMap<>();
  private static volatile long sink;
  private final transient List<Step> steps = new ArrayList<>();
  private final byte[] body = new byte[(int) number("bytes", 200)];

  private static double number(String name, double otherwise) {
    return FLAGS.containsKey(name) ? Double.parseDouble(FLAGS.get(name)) : otherwise;
  }

  private static void spin(long rounds) {
    long sum = 1;
    for (long i = 0; i < rounds; i++) {
      sum = sum * 6364136223846793005L + i;
    }
    sink = sum;
  }

  private Shop() throws IOException {
    if (FLAGS.containsKey("rate")) {
      RateLimiter limiter = RateLimiter.create(number("rate", 1));
      steps.add(limiter::acquire);
    }
    if (FLAGS.containsKey("rounds")) {
      long rounds = (long) number("rounds", 0);
      steps.add(() -> spin(rounds));
    }
    if (FLAGS.containsKey("executor")) {
      ExecutorService pool = Executors.newFixedThreadPool((int) number("executor", 1));
      long ms = (long) number("held-ms", 0);
      steps.add(() -> pool.submit(() -> {
        Thread.sleep(ms);
        return null;
      }).get());
    }
    if (FLAGS.containsKey("sleep-ms")) {
      long ms = (long) number("sleep-ms", 0);
      steps.add(() -> Thread.sleep(ms));
    }
    if (FLAGS.containsKey("log")) {
      // System.out of a program under a supervisor: a pipe.
      PrintStream log = new PrintStream(new FileOutputStream(FLAGS.get("log")), true);
      String line = "order" + " item".repeat(40);
      steps.add(() -> log.println(line));
    }
    if (FLAGS.containsKey("database")) {
      steps.add(query());
    }
  }

  private static Step query() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:postgresql://" + FLAGS.get("database"));
    config.setUsername("shop");
    config.setPassword(System.getenv("PGPASSWORD"));
    config.setMaximumPoolSize((int) number("connections", 10));
    HikariDataSource source = new HikariDataSource(config);
    String text = "SELECT " + FLAGS.get("function") + "(" + FLAGS.get("argument") + ")";
    return () -> {
      try (var one = source.getConnection(); var statement = one.createStatement()) {
        statement.execute(text);
      }
    };
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse answer) throws IOException {
    try {
      for (Step one : steps) {
        one.run();
      }
    } catch (Exception error) {
      answer.sendError(502, error.toString());
      return;
    }
    answer.setContentLength(body.length);
    answer.getOutputStream().write(body);
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      FLAGS.put(arguments[i].substring(2), arguments[i + 1]);
    }
    var tomcat = new Tomcat();
    tomcat.setBaseDir(FLAGS.get("base"));
    tomcat.setPort((int) number("port", 0));
    var connector = tomcat.getConnector();
    connector.setProperty("address", FLAGS.getOrDefault("host", "127.0.0.1"));
    connector.setProperty("maxKeepAliveRequests", "-1");
    for (String name : List.of("maxThreads", "maxConnections", "acceptCount")) {
      if (FLAGS.containsKey(name)) {
        connector.setProperty(name, FLAGS.get(name));
      }
    }
    var context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "shop", new Shop());
    context.addServletMappingDecoded("/*", "shop");
    tomcat.start();
    tomcat.getServer().await();
  }
}
