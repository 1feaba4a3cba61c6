// A plain web application on Node: its flags choose what a request does, and so what limits it.
"use strict";
const dns = require("node:dns");
const http = require("node:http");
const net = require("node:net");
const { parseArgs } = require("node:util");

const names = ["host", "port", "cpu-ms", "sleep-ms", "places", "held-ms", "lock-ms", "upstream", "database",
  "connections", "statement", "names", "redis", "rounds", "live-mib", "garbage-kib", "shed", "bytes"];
const { values: flags } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
const number = (name) => Number(flags[name] ?? 0);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Burns CPU time of the process, so that it does the same work whatever else runs.
function spin(ms) {
  const begun = process.cpuUsage();
  let sum = 1;
  for (;;) {
    for (let i = 0; i < 20000; i++) sum = (sum * 1103515245 + 12345) % 2147483648;
    const { user, system } = process.cpuUsage(begun);
    if (user + system >= ms * 1000) return sum;
  }
}

// Lets some go on at a time; the others wait in order.
class Places {
  constructor(free) {
    this.free = free;
    this.waiting = [];
  }
  async hold(ms) {
    if (this.free > 0) this.free--;
    else await new Promise((done) => this.waiting.push(done));
    try {
      await sleep(ms);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}

function ask(url, agent) {
  return new Promise((done, failed) => {
    http.get(url, { agent }, (answer) => {
      answer.resume();
      answer.on("end", () => (answer.statusCode === 200 ? done() : failed(new Error(`${url}: ${answer.statusCode}`))));
      answer.on("error", failed);
    }).on("error", failed);
  });
}

// One connection to Redis, over which requests follow each other as Redis' own clients do it.
function redis(address, rounds) {
  const [host, port] = address.split(":");
  const socket = net.connect(Number(port), host);
  const waiting = [];
  let rest = "";
  socket.setNoDelay(true);
  socket.on("data", (data) => {
    const lines = (rest + data.toString("latin1")).split("\r\n");
    rest = lines.pop();
    for (const line of lines) waiting.shift()?.(line);
  });
  const script = "local x = 0 for i = 1, ARGV[1] do x = x + i % 7 end return x";
  const parts = ["EVAL", script, "0", String(rounds)];
  const command = `*${parts.length}\r\n${parts.map((part) => `$${part.length}\r\n${part}\r\n`).join("")}`;
  return () => new Promise((done, failed) => {
    waiting.push((line) => (line.startsWith(":") ? done() : failed(new Error(line))));
    socket.write(command);
  });
}

function database() {
  const { Pool } = require("pg");
  const [host, port, name] = flags.database.split(/[:/]/);
  const pool = new Pool({ host, port: Number(port), database: name, user: "shop", max: number("connections") });
  pool.on("error", () => {});
  const [what, argument] = flags.statement.split(":");
  const text = what === "sleep" ? `SELECT pg_sleep(${argument} / 1000.0)` : `SELECT ${what}(${argument})`;
  return () => pool.query(text);
}

function steps() {
  const all = [];
  if (flags["garbage-kib"]) {
    all.push(() => {
      const pieces = [];
      for (let i = 0; i < number("garbage-kib"); i++) pieces.push(new Array(120).fill(i));
      return pieces.length;
    });
  }
  if (flags["cpu-ms"]) all.push(() => spin(number("cpu-ms")));
  if (flags["lock-ms"]) {
    const one = new Places(1);
    all.push(() => one.hold(number("lock-ms")));
  }
  if (flags.places) {
    const some = new Places(number("places"));
    all.push(() => some.hold(number("held-ms")));
  }
  if (flags["sleep-ms"]) all.push(() => sleep(number("sleep-ms")));
  if (flags.names) {
    const resolver = new dns.promises.Resolver({ timeout: 5000 });
    resolver.setServers([flags.names]);
    all.push(() => resolver.resolve4("shop.example.test"));
  }
  if (flags.upstream) {
    const agent = new http.Agent({ keepAlive: true });
    all.push(() => ask(flags.upstream, agent));
  }
  if (flags.redis) all.push(redis(flags.redis, number("rounds")));
  if (flags.database) all.push(database());
  return all;
}

// Small objects, which the collector has to visit one by one; named so that it cannot drop them.
globalThis.live = [];
for (let i = 0; i < number("live-mib") * 8192; i++) globalThis.live.push(new Array(14).fill(i));
const todo = steps();
const body = Buffer.alloc(number("bytes") || 200);
let busy = 0;

async function serve(request, answer) {
  if (flags.shed && busy >= number("shed")) {
    answer.writeHead(503).end("too many requests in progress\n");
    return;
  }
  busy++;
  try {
    for (const step of todo) await step();
    answer.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": body.length }).end(body);
  } catch (error) {
    answer.writeHead(502).end(`${error.message}\n`);
  } finally {
    busy--;
  }
}

http.createServer({ keepAliveTimeout: 60000 }, serve).listen(number("port"), flags.host ?? "127.0.0.1", 1024);
