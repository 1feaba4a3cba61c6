// One step with a captured value and a checked one, as users of k6 write it.
import http from "k6/http";
import { check } from "k6";

export const options = { vus: Number(__ENV.USERS), duration: __ENV.SECONDS + "s" };

export default function () {
  const reply = http.get(__ENV.URL + "/order.json");
  check(reply, { "the order is open": (r) => r.json("status") === "open" });
  const id = reply.json("id");
  if (id === undefined) {
    throw new Error("the order has no number");
  }
}
