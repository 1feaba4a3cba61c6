// A shop on Express: its flags choose what a request does, and so what limits it.
"use strict";
const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { parseArgs, promisify } = require("node:util");
const { isMainThread } = require("node:worker_threads");

// What a worker of the pool does: it waits without giving its thread away, as an old driver does.
module.exports = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function steps(flags) {
  const number = (name) => Number(flags[name] ?? 0);
  const all = [];
  if (flags.workers) {
    const { Piscina } = require("piscina");
    const pool = new Piscina({ filename: __filename, minThreads: number("workers"), maxThreads: number("workers") });
    all.push(() => pool.run(number("blocked-ms")));
  }
  if (flags.gap) {
    const Bottleneck = require("bottleneck");
    const limiter = new Bottleneck({ minTime: number("gap") });
    all.push(() => limiter.schedule(async () => {}));
  }
  if (flags.hash) {
    const hash = promisify(crypto.pbkdf2);
    all.push(() => hash("a password", "some salt", number("hash"), 32, "sha512"));
  }
  if (flags.sync) {
    // Each upload is a file of its own, on disk before the answer.
    const bytes = Buffer.alloc(number("sync-kb") * 1024, "x");
    let last = 0;
    all.push(async () => {
      const file = await fs.promises.open(path.join(flags.sync, `upload-${last++}`), "w");
      await file.write(bytes);
      await file.sync();
      await file.close();
    });
  }
  if (flags["sleep-ms"]) all.push(() => new Promise((done) => setTimeout(done, number("sleep-ms"))));
  return all;
}

function main() {
  const names = ["host", "port", "workers", "blocked-ms", "gap", "hash", "sync", "sync-kb", "sleep-ms", "rows", "live-mib", "collect-ms", "delay"];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const { values: flags } = parseArgs({ options });
  const todo = steps(flags);
  const rows = Array.from({ length: Number(flags.rows ?? 0) }, (_, id) => ({ id, name: `item ${id}`, price: id / 100, tags: ["a", "b"] }));
  globalThis.live = [];
  for (let i = 0; i < Number(flags["live-mib"] ?? 0) * 8192; i++) globalThis.live.push(new Array(14).fill(i));
  if (flags["collect-ms"]) setInterval(() => globalThis.gc(), Number(flags["collect-ms"]));
  const app = require("express")();
  app.get("*", async (_, answer) => {
    try {
      for (const step of todo) await step();
      if (rows.length) answer.set("X-Sum", crypto.createHash("md5").update(JSON.stringify(rows)).digest("hex"));
      if (flags.delay) {
        answer.set("Content-Length", "400").write("x".repeat(200));
        await new Promise((done) => setImmediate(done));
        answer.end("y".repeat(200));
      } else answer.send("x".repeat(200));
    } catch (error) {
      answer.status(502).send(`${error.message}\n`);
    }
  });
  const server = http.createServer({ noDelay: flags.delay !== "on" }, app);
  server.listen(Number(flags.port), flags.host ?? "127.0.0.1", 1024);
  server.keepAliveTimeout = 60000;
}

if (isMainThread) main();
