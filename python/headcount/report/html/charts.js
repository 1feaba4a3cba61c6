// The charts of a page for a pointer and for keys: values are read off, and a stretch is zoomed into.
// Each figure carries its numbers (data-plot); without this script, on paper and on a narrow screen
// the drawing that is in the page already is shown instead.
(() => {
  "use strict";
  const DASH = "\u2013";
  const digits = (value, most) => value.toLocaleString("en", { maximumSignificantDigits: most });
  const whole = (value) => value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : 0 });
  const time = (ms) =>
    ms >= 1000 ? digits(ms / 1000, 3) + " s" : ms >= 1 || ms === 0 ? digits(ms, 3) + " ms" : digits(ms * 1000, 3) + " \u00b5s";
  const written = {
    count: whole,
    rate: (value) => (value >= 1000 ? whole(value) : digits(value, 3)),
    ms: time,
    share: (value) => (Math.abs(value) >= 0.1 ? digits(value * 100, 3) : digits(value * 100, 2)) + "%",
    bytes: (value) => digits(value / 1e6, 3) + " MB/s",
    s: (value) => digits(value, 4) + " s",
    money: whole,
    nines: (rarity) => (rarity > 1 ? digits((1 - 1 / rarity) * 100, Math.max(3, Math.ceil(Math.log10(rarity)) + 2)) : 0) + "%",
  };
  const tick = { ...written, bytes: (value) => digits(value / 1e6, 3), share: (value) => digits(value * 100, 3) + "%", s: whole };
  const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
  const INTERVALS = 5;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const faded = (name, part) => colour(name) + Math.round(part * 255).toString(16).padStart(2, "0");

  // The upper end of a scale from zero with equal, round intervals: both axes share one grid.
  const top = (most, intervals) => {
    if (!(most > 0)) return 1;
    const least = (most * 1.02) / intervals;
    const power = 10 ** Math.floor(Math.log10(least));
    return intervals * power * STEPS.find((lead) => lead * power >= least * (1 - 1e-9));
  };

  // uPlot wants one ascending row of places; levels may share theirs.
  const apart = (xs) => xs.reduce((made, x, i) => {
    made.push(i && x <= made[i - 1] ? made[i - 1] + Math.abs(made[i - 1]) * 1e-9 + 1e-9 : x);
    return made;
  }, []);

  const nearest = (xs, x) => {
    let best = 0;
    for (let i = 1; i < xs.length; i += 1) if (Math.abs(xs[i] - x) < Math.abs(xs[best] - x)) best = i;
    return best;
  };

  const make = (tag, name, text) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // One panel: its numbers, its legend with the values under the pointer, its canvas.
  class Pane {
    constructor(chart, plot, first) {
      this.chart = chart;
      this.plot = plot;
      this.first = first;
      this.series = plot.s.map((one) => ({ ...one, x: apart(one.x) }));
      this.data = uPlot.join(this.series.map((one) => [one.x, one.y]));
      this.shown = this.series.filter((one) => !one.n.endsWith(" (line)"));
      this.legend = make("div", "legend");
      // The axis is named where no series has its name.
      if (!this.shown.some((one) => one.n === plot.l.t)) this.legend.append(make("span", "axis", plot.l.t));
      this.values = this.shown.map((one) => {
        const item = make("span");
        const key = make("i", "key" + (one.d === "line" ? (one.dash ? " dashed" : " plain") : one.sq ? " square" : ""));
        key.style.setProperty("--c", "var(--" + one.c + ")");
        const value = make("b");
        item.append(key, one.n + " ", value);
        this.legend.append(item);
        return value;
      });
      this.stage = make("div", "stage");
    }

    get height() {
      return this.plot.h + (this.last && !this.first ? 46 : 0); // room for the lower axis
    }

    axes() {
      const font = "12.5px system-ui, sans-serif";
      const line = { stroke: colour("grid"), width: 1 };
      const { x, l, r } = this.plot;
      const most = this.plot.h < 200 ? 2 : INTERVALS;
      const even = (u, axis, low, high) => Array.from({ length: most + 1 }, (_, i) => low + (i * (high - low)) / most);
      const leads = (u, axis, low, high) => {
        for (const each of [[1, 2, 5], [1, 3], [1]]) {
          const found = [];
          for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1)
            for (const lead of each) if (lead * 10 ** power >= low && lead * 10 ** power <= high) found.push(lead * 10 ** power);
          if (found.length <= 9 || each.length === 1) return found;
        }
      };
      const ordinate = (scale, axis, side) => ({
        scale, side, font, gap: 6,
        size: side === 3 ? 66 : 58,
        stroke: r ? colour(this.styles(scale)) : colour("soft"),
        grid: side === 3 ? line : { show: false },
        ticks: { show: false },
        values: (u, splits) => splits.map((value) => (value === null ? "" : tick[axis.u](value))),
        splits: axis.log ? leads : even,
        filter: (u, splits) => splits,
      });
      const nines = x.u === "nines";
      return [
        {
          font, stroke: colour("soft"), grid: { show: false }, ticks: { stroke: colour("soft"), size: 5 },
          gap: 4,
          ...(this.last
            ? { label: x.t, labelFont: "13px system-ui, sans-serif", labelSize: 24, size: 34 }
            : { size: 8 }),
          values: (u, splits) => splits.map((value) => (value === null || !this.last ? "" : tick[x.u](value))),
          ...(nines
            ? { filter: (u, splits) => splits, splits: (u, axis, low, high) => [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter((one) => one >= low * 0.999 && one <= high) }
            : {}),
        },
        ordinate("l", l, 3),
        ...(r ? [ordinate("r", r, 1)] : []),
      ];
    }

    styles(scale) {
      return this.series.find((one) => one.r === (scale === "r")).c;
    }

    scales() {
      const { x, l, r } = this.plot;
      const ordinate = (axis) =>
        axis.log
          ? { distr: 3, range: (u, low, high) => [low > 0 ? low * 0.8 : 0.01, high > 0 ? high * 1.25 : 1] }
          : { range: (u, low, high) => [0, axis.m === null ? top(high, this.plot.h < 200 ? 2 : INTERVALS) : axis.m] };
      const ends = this.chart.ends();
      return {
        x: { time: false, ...(x.log ? { distr: 3 } : {}), range: (u, low, high) => (this.chart.zoomed ? [low, high] : ends) },
        l: ordinate(l),
        ...(r ? { r: ordinate(r) } : {}),
      };
    }

    draw() {
      if (this.u) this.u.destroy();
      const line = (one) => ({
        scale: one.r ? "r" : "l",
        label: one.n,
        stroke: colour(one.c),
        width: 2.25,
        dash: one.dash || one.c === "p99" ? [8, 5] : one.c === "p50" ? [2, 5] : undefined,
        spanGaps: true,
        points: { show: false },
        ...(one.d === "marks" ? { paths: () => null } : {}),
      });
      this.u = new uPlot({
        width: this.stage.clientWidth || 800,
        height: this.height,
        padding: [this.first ? 26 : 8, this.plot.r ? 0 : this.chart.right ? 58 : 24, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, dist: 6, setScale: false } },
        scales: this.scales(),
        axes: this.axes(),
        series: [{}, ...this.series.map(line)],
        hooks: {
          drawClear: [(u) => this.behind(u)],
          draw: [(u) => this.above(u)],
          setCursor: [(u) => this.moved(u)],
          setSelect: [(u) => this.selected(u)],
          ready: [(u) => u.over.addEventListener("dblclick", () => this.chart.reset())],
        },
      }, this.data, this.stage);
    }

    selected(u) {
      const { left, width } = u.select;
      if (width > 0) this.chart.zoom(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
      u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    }

    fit() {
      const width = this.stage.clientWidth;
      if (width > 0 && Math.abs(width - this.u.width) > 1) this.u.setSize({ width, height: this.height });
    }

    inside(u, paint) {
      const { ctx, bbox } = u;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top - 26 * devicePixelRatio, bbox.width + 5 * devicePixelRatio, bbox.height + 31 * devicePixelRatio);
      ctx.clip();
      paint(ctx, bbox);
      ctx.restore();
    }

    behind(u) {
      this.inside(u, (ctx, box) => {
        for (const band of this.plot.bands) {
          const left = Math.max(u.valToPos(band.a, "x", true), box.left);
          const right = Math.min(band.b === null ? Infinity : u.valToPos(band.b, "x", true), box.left + box.width);
          ctx.fillStyle = faded(band.c, 0.14);
          if (right > left) ctx.fillRect(left, box.top, right - left, box.height);
        }
        const lines = this.series.filter((one) => one.d === "line");
        const bands = [["p99", "p95", 0.09], ["p95", "p50", 0.18]];
        for (const [upper, lower, part] of bands) {
          const [over, under] = [upper, lower].map((name) => lines.find((one) => one.c === name));
          if (!over || !under) continue;
          const path = (one) => one.x.map((x, i) => [u.valToPos(x, "x", true), u.valToPos(one.y[i], "l", true)]);
          ctx.fillStyle = faded("p95", part);
          ctx.beginPath();
          for (const [x, y] of [...path(over), ...path(under).reverse()]) ctx.lineTo(x, y);
          ctx.fill();
        }
      });
    }

    above(u) {
      this.inside(u, (ctx, box) => {
        for (const one of this.series) if (one.d === "marks") this.marks(u, ctx, one);
        for (const rule of this.plot.rules) this.rule(u, ctx, box, rule);
      });
    }

    marks(u, ctx, one) {
      const px = devicePixelRatio, card = colour("card"), ink = colour(one.c);
      ctx.setLineDash([]);
      (one.w || []).forEach((ends, i) => {
        if (!ends) return;
        const x = u.valToPos(one.x[i], "x", true);
        ctx.strokeStyle = faded(one.c, 0.6);
        ctx.lineWidth = 1.4 * px;
        ctx.beginPath();
        for (const end of ends) ctx.lineTo(x, u.valToPos(end, one.r ? "r" : "l", true));
        ctx.stroke();
      });
      one.x.forEach((place, i) => {
        const x = u.valToPos(place, "x", true), y = u.valToPos(one.y[i], one.r ? "r" : "l", true);
        const outcome = (one.o || "")[i];
        if (outcome === "i") {
          ctx.strokeStyle = colour("soft");
          ctx.lineWidth = 1.8 * px;
          ctx.beginPath();
          ctx.moveTo(x - 4 * px, y - 4 * px); ctx.lineTo(x + 4 * px, y + 4 * px);
          ctx.moveTo(x + 4 * px, y - 4 * px); ctx.lineTo(x - 4 * px, y + 4 * px);
          ctx.stroke();
          return;
        }
        const dot = (size, fill) => {
          ctx.fillStyle = fill;
          ctx.beginPath();
          if (one.sq) ctx.rect(x - size, y - size, 2 * size, 2 * size);
          else ctx.arc(x, y, size, 0, 2 * Math.PI);
          ctx.fill();
        };
        dot(4.5 * px, ink);
        if (outcome === "f") dot(2.4 * px, card);
      });
    }

    rule(u, ctx, box, rule) {
      const px = devicePixelRatio;
      const at = u.valToPos(rule.at, rule.v ? "x" : "l", true);
      if (rule.v ? at < box.left || at > box.left + box.width + 1 : at < box.top || at > box.top + box.height) return;
      ctx.strokeStyle = colour(rule.c);
      ctx.lineWidth = 1.6 * px;
      ctx.setLineDash(rule.v || rule.c === "users" ? [] : [7 * px, 4 * px]);
      ctx.beginPath();
      if (rule.v) { ctx.moveTo(at, box.top - 4 * px); ctx.lineTo(at, box.top + box.height); }
      else { ctx.moveTo(box.left, at); ctx.lineTo(box.left + box.width, at); }
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.font = `600 ${13 * px}px system-ui, sans-serif`;
      const left = rule.v && at > box.left + box.width / 2;
      ctx.textAlign = left ? "right" : "left";
      const x = rule.v ? at + (left ? -6 : 6) * px : box.left + 8 * px;
      const y = rule.v ? box.top - 10 * px : at > box.top + 20 * px ? at - 7 * px : at + 16 * px;
      ctx.lineWidth = 4 * px;
      ctx.lineJoin = "round";
      ctx.strokeStyle = colour("card");
      ctx.strokeText(rule.n, x, y);
      ctx.fillStyle = colour(rule.c);
      ctx.fillText(rule.n, x, y);
    }

    moved(u) {
      if (this.chart.telling) return;
      const out = u.cursor.left === null || u.cursor.left < 0;
      this.chart.tell(out ? -1 : nearest(this.chart.places, u.posToVal(u.cursor.left, "x")), this);
    }

    tell(place) {
      this.shown.forEach((one, i) => {
        const index = place === null ? -1 : one.d === "marks" ? one.x.indexOf(place) : nearest(one.x, place);
        const unit = this.plot[one.r ? "r" : "l"].u;
        this.values[i].textContent = place === null ? "" : index < 0 ? DASH : written[unit](one.y[index]);
      });
    }

    point(place) {
      this.u.setCursor(place === null ? { left: -10, top: -10 } : { left: this.u.valToPos(place, "x"), top: 10 });
    }
  }

  // A figure: its panels over one axis, of which a stretch may be enlarged, with one place in the legend.
  class Chart {
    constructor(figure) {
      const plot = JSON.parse(figure.dataset.plot);
      this.x = plot.x;
      this.right = Boolean(plot.r);
      this.panes = [plot, ...plot.below].map((one, i) => new Pane(this, one, i === 0));
      this.panes[this.panes.length - 1].last = true;
      this.places = [...new Set(this.panes.flatMap((pane) => pane.shown.flatMap((one) => one.x)))].sort((a, b) => a - b);
      this.at = -1;
      this.build(figure);
      this.draw();
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
      new ResizeObserver(() => this.panes.forEach((pane) => pane.fit())).observe(this.box);
    }

    build(figure) {
      this.box = make("div", "live");
      this.box.tabIndex = 0;
      this.box.setAttribute("role", "group");
      this.box.setAttribute("aria-label", figure.querySelector("svg.wide").getAttribute("aria-label") +
        " Arrow keys read values, plus and minus zoom, Escape shows all.");
      this.read = make("span", "at");
      this.panes[0].legend.append(this.read);
      this.spoken = make("span", "spoken");
      this.spoken.setAttribute("aria-live", "polite");
      this.hint = make("span", "hint", "drag to zoom");
      this.whole = make("button", "whole", "Show all");
      this.whole.type = "button";
      this.whole.hidden = true;
      this.whole.addEventListener("click", () => this.reset());
      this.box.append(...this.panes.flatMap((pane) => [pane.legend, pane.stage]), this.hint, this.whole, this.spoken);
      this.box.addEventListener("keydown", (event) => this.key(event));
      figure.prepend(this.box);
      figure.classList.add("on");
    }

    draw() {
      this.show(false);
      this.panes.forEach((pane) => pane.draw());
    }

    ends() {
      const upright = this.panes.flatMap((pane) => pane.plot.rules.filter((rule) => rule.v).map((rule) => rule.at));
      const xs = this.panes.flatMap((pane) => [pane.data[0][0], pane.data[0][pane.data[0].length - 1]]);
      const least = Math.min(...xs), most = Math.max(...xs, ...upright);
      if (this.x.m !== null) return [Math.min(0, least), this.x.m];
      return this.x.log ? [least, most] : [Math.min(0, least), least < most ? most * 1.04 : most * 1.5];
    }

    zoom(low, high) {
      this.show(true);
      this.panes.forEach((pane) => pane.u.setScale("x", { min: low, max: high }));
    }

    reset() {
      this.show(false);
      const [min, max] = this.ends();
      this.panes.forEach((pane) => pane.u.setScale("x", { min, max }));
    }

    show(part) {
      this.zoomed = part;
      this.whole.hidden = !part;
      this.hint.hidden = part;
    }

    tell(at, from) {
      this.at = at;
      const place = at < 0 ? null : this.places[at];
      this.telling = true;
      for (const pane of this.panes) {
        pane.tell(place);
        if (pane !== from) pane.point(place);
      }
      this.telling = false;
      const name = this.x.u === "nines" ? "percentile" : this.x.t[0].toLowerCase() + this.x.t.slice(1);
      this.read.textContent = at < 0 ? "" : this.x.u === "s" ? "at " + written.s(place) : "at " + written[this.x.u](place) + " " + name;
    }

    key(event) {
      const steps = { ArrowLeft: -1, ArrowRight: 1 };
      if (event.key in steps || event.key === "Home" || event.key === "End") {
        const last = this.places.length - 1;
        const start = this.at < 0 ? (steps[event.key] > 0 ? -1 : last + 1) : this.at;
        const to = event.key === "Home" ? 0 : event.key === "End" ? last : start + steps[event.key];
        this.tell(Math.min(Math.max(to, 0), last), null);
        this.spoken.textContent = this.panes.map((pane) => pane.legend.textContent).join("; ");
      } else if (event.key === "+" || event.key === "=") this.scale(0.5);
      else if (event.key === "-") this.scale(2);
      else if (event.key === "Escape" || event.key === "0") this.reset();
      else return;
      event.preventDefault();
    }

    scale(factor) {
      const { min, max } = this.panes[0].u.scales.x, [low, high] = this.ends();
      const [to, from] = this.x.log ? [Math.log, Math.exp] : [(v) => v, (v) => v];
      const middle = this.at < 0 ? (to(min) + to(max)) / 2 : to(this.places[this.at]);
      const half = ((to(max) - to(min)) / 2) * factor;
      const next = [Math.max(from(middle - half), low), Math.min(from(middle + half), high)];
      if (next[0] > low || next[1] < high) this.zoom(...next);
      else this.reset();
    }
  }

  for (const figure of document.querySelectorAll("figure[data-plot]")) new Chart(figure);

  // Paper shows everything; where a browser does not open what the style sheet says, this does.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const each of folded) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
  });
})();
