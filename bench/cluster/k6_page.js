// One page again and again, as k6 plays it; each process has its segment of the users.
import http from "k6/http";
import { sleep } from "k6";

const THINK_S = 0.5;

export const options = { vus: Number(__ENV.USERS), duration: __ENV.SECONDS + "s" };

export default function () {
  http.get(__ENV.URL + "/page");
  sleep(-THINK_S * Math.log(1 - Math.random()));
}
