"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = (id) => JSON.parse(byId(id).textContent);
  const about = data("about");
  const cases = data("index");
  const criteria = about.criteria;

  /* Cases are read a script at a time, when one of them is looked at. */
  const chunks = new Map();
  const whole = (place) => {
    const chunk = Math.floor(place / about.chunk);
    if (!chunks.has(chunk)) chunks.set(chunk, data("c" + chunk));
    return chunks.get(chunk)[place % about.chunk];
  };

  /* Texts show the characters that would reorder or hide them as escapes. */
  const hidden = new RegExp(about.hidden, "g");
  const escape = (it, at, text) => {
    if (it === "\r") return text[at + 1] === "\n" ? it : "\\r";
    return `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`;
  };
  const visible = (text) => text.replace(hidden, escape);
  const visibleProps = ["title", "aria-label"];

  const el = (tag, props, ...children) => {
    const node = tag.startsWith("svg:")
      ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
      : document.createElement(tag);
    for (const [key, value] of Object.entries(props || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (visibleProps.includes(key)) node.setAttribute(key, visible(value));
      else node.setAttribute(key, value === true ? "" : value);
    }
    const shown = children.flat().filter((child) => child !== undefined && child !== null);
    node.append(...shown.map((child) => (typeof child === "string" ? visible(child) : child)));
    return node;
  };

  const VERDICTS = [["p", "passed"], ["f", "failed"], ["u", "unscored"], ["e", "error"], ["t", "terminated"]];
  const WORDS = Object.fromEntries(VERDICTS);
  const BINS = 20;
  const number = new Intl.NumberFormat("en");
  const figure = (score) => score.toFixed(3);
  const binOf = (score) => Math.min(BINS - 1, Math.max(0, Math.floor(score * BINS + 1e-9)));

  /* What is shown: filters, the chosen case. The address keeps all of it. */
  const state = { find: "", show: "", tag: "", metric: -1, bin: -1, chosen: -1 };
  let shown = [];

  const titleOf = (line) => line.n || line.q || line.i;
  const verdictOf = (line) => {
    if (state.metric < 0 || "et".includes(line.v)) return line.v;
    const score = line.s[state.metric];
    if (score === null || score === undefined) return "u";
    return score >= criteria[state.metric][1] ? "p" : "f";
  };
  const scoreOf = (line) => {
    if (state.metric >= 0) return line.s[state.metric] ?? null;
    const scores = line.s.filter((score) => score !== null);
    return scores.length ? Math.min(...scores) : null;
  };
  const haystacks = new Map();
  const haystack = (place) => {
    if (!haystacks.has(place)) {
      const line = cases[place];
      const words = [line.i, line.n || "", line.r || "", line.q, ...(line.o || []), ...(line.t || [])];
      haystacks.set(place, words.join("\n").toLowerCase());
    }
    return haystacks.get(place);
  };

  const filter = () => {
    const words = state.find.toLowerCase().split(/\s+/).filter(Boolean);
    shown = [];
    cases.forEach((line, place) => {
      if (state.show && !state.show.includes(verdictOf(line))) return;
      if (state.tag && !(line.t || []).includes(state.tag)) return;
      if (state.bin >= 0 && state.metric >= 0) {
        const score = line.s[state.metric];
        if (score === null || score === undefined || binOf(score) !== state.bin) return;
      }
      if (words.length && !words.every((word) => haystack(place).includes(word))) return;
      shown.push(place);
    });
    if (state.metric >= 0) {
      /* The worst first; what has no score behind. */
      const key = (place) => scoreOf(cases[place]) ?? Infinity;
      shown.sort((one, other) => key(one) - key(other) || one - other);
    }
  };

  /* The list draws only the rows in sight. */
  const ROW = 28;
  const list = byId("cases");
  const rows = byId("rows");
  const drawRows = () => {
    rows.style.height = `${shown.length * ROW}px`;
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 8);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 8);
    const drawn = [];
    for (let at = first; at < last; at += 1) {
      const place = shown[at];
      const line = cases[place];
      const verdict = verdictOf(line);
      const score = scoreOf(line);
      const row = el(
        "a",
        {
          id: `row-${place}`, href: address({ chosen: place }), role: "option", tabindex: "-1",
          "aria-selected": String(place === state.chosen), "aria-setsize": shown.length, "aria-posinset": at + 1,
          title: [line.i, line.r, line.q].filter(Boolean).join("\n"),
        },
        el("i", { class: `mark ${verdict}`, role: "img", "aria-label": WORDS[verdict] }),
        el("span", {}, titleOf(line), titleOf(line) === line.i ? null : el("small", {}, ` ${line.i}`), line.r ? el("small", {}, ` ${line.r}`) : null),
        el("small", { title: state.metric < 0 && score !== null ? "the lowest of its scores" : null }, score === null ? "–" : figure(score)),
      );
      row.style.top = `${at * ROW}px`;
      drawn.push(row);
    }
    rows.replaceChildren(...drawn);
    const chosen = byId(`row-${state.chosen}`);
    if (chosen) list.setAttribute("aria-activedescendant", chosen.id);
    else list.removeAttribute("aria-activedescendant");
  };
  const reveal = () => {
    const at = shown.indexOf(state.chosen);
    if (at < 0) return;
    const top = at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  };

  /* The summary: verdicts and criteria, both of which filter. */
  const counts = () => {
    const counted = { p: 0, f: 0, u: 0, e: 0, t: 0 };
    cases.forEach((line) => { counted[verdictOf(line)] += 1; });
    return counted;
  };
  const plots = criteria.map(([, needs], metric) => {
    const bins = Array.from({ length: BINS }, () => [0, 0]);
    cases.forEach((line) => {
      const score = line.s[metric];
      if (score !== null && score !== undefined) bins[binOf(score)][score >= needs ? 0 : 1] += 1;
    });
    return bins;
  });
  const plot = (metric) => {
    const bins = plots[metric];
    const [name, needs] = criteria[metric];
    const [width, height, base] = [200, 46, 35];
    const most = Math.max(1, ...bins.map(([met, missed]) => met + missed));
    const step = width / BINS;
    const chosen = state.metric === metric ? state.bin : -1;
    const counts = bins.map(([met, missed], bin) => (met + missed ? `${number.format(met + missed)} from ${(bin / BINS).toFixed(2)} to ${((bin + 1) / BINS).toFixed(2)}` : "")).filter(Boolean).join(", ");
    const svg = el("svg:svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Scores of ${name}: ${counts || "none"}` });
    bins.forEach(([met, missed], bin) => {
      const off = chosen >= 0 && chosen !== bin ? " off" : "";
      let top = base;
      [[met, " ok"], [missed, ""]].forEach(([count, kind]) => {
        if (!count) return;
        const high = Math.max(2, (count / most) * (base - 3));
        top -= high;
        svg.append(el("svg:rect", { class: `bar${kind}${off}`, x: bin * step + 0.5, y: top, width: step - 1, height: high, rx: 1 }));
      });
    });
    svg.append(el("svg:line", { class: "axis", x1: 0, x2: width, y1: base + 0.5, y2: base + 0.5 }));
    if (needs > 0 && needs < 1) svg.append(el("svg:line", { class: "needs", x1: needs * width, x2: needs * width, y1: 0, y2: base }));
    [["0", 0, "start"], ["0.5", width / 2, "middle"], ["1", width, "end"]].forEach(([text, x, anchor]) => {
      svg.append(el("svg:text", { x, y: height - 1, "text-anchor": anchor }, text));
    });
    bins.forEach(([met, missed], bin) => {
      if (!met && !missed) return;
      svg.append(el("svg:rect", {
        class: "hit", x: bin * step, y: 0, width: step, height: base,
        onclick: (event) => {
          event.stopPropagation();
          const again = state.metric === metric && state.bin === bin;
          change({ metric, bin: again ? -1 : bin });
        },
      }, el("svg:title", {}, `${number.format(met + missed)} from ${(bin / BINS).toFixed(2)} to ${((bin + 1) / BINS).toFixed(2)}`)));
    });
    return svg;
  };
  const drawSummary = () => {
    const counted = counts();
    const verdicts = VERDICTS.filter(([key]) => key !== "t" || about.summary.terminated_cases).map(([key, word]) => el(
      "button",
      { class: "verdict", "aria-pressed": String(state.show.includes(key)), onclick: () => toggle(key) },
      el("i", { class: `mark ${key}` }), el("span", {}, word), el("b", {}, number.format(counted[key])),
    ));
    const card = ([name, needs], metric) => {
      const stats = about.summary.criterion_stats[name] || {};
      const mean = stats.avg_score;
      const scored = (stats.passed || 0) + (stats.failed || 0);
      const of = scored ? `${number.format(stats.passed)} of ${number.format(scored)}` : "not scored";
      const unscored = stats.unscored ? `, ${number.format(stats.unscored)} unscored` : "";
      return el(
        "button",
        { class: scored ? "criterion" : "criterion none", "aria-pressed": String(state.metric === metric), title: `${name}: mean ${mean ?? "–"} of ${stats.avg_score_cases} ${stats.avg_score_cases === 1 ? "case" : "cases"}, needs ${needs}, ${of} passed${unscored}`, onclick: () => change({ metric: state.metric === metric && state.bin < 0 ? -1 : metric, bin: -1 }) },
        el("b", {}, mean === null || mean === undefined ? "–" : figure(mean)),
        el("span", { class: "name" }, name),
        el("span", { class: "of" }, `needs ${needs} · ${of}`),
        scored ? plot(metric) : null,
      );
    };
    const isScored = ([name]) => { const stats = about.summary.criterion_stats[name] || {}; return (stats.passed || 0) + (stats.failed || 0) > 0; };
    /* Criteria without scores have no plot, and come last. */
    const cards = (wanted) => criteria.flatMap((one, metric) => (isScored(one) === wanted ? [card(one, metric)] : []));
    const unscored = cards(false);
    byId("summary").replaceChildren(
      el("div", { class: "verdicts", role: "group", "aria-label": "Show" }, verdicts),
      el("div", { class: "criteria" }, cards(true), unscored.length ? el("div", { class: "unscored" }, unscored) : null),
    );
  };
  const toggle = (key) => {
    const show = state.show.includes(key) ? state.show.replace(key, "") : state.show + key;
    change({ show });
  };

  /* JSON text as it was written, digits and all, what differs marked. */
  const parse = (text) => {
    let at = 0;
    const blank = () => { while (/\s/.test(text[at] || "")) at += 1; };
    const string = () => {
      const from = at;
      at += 1;
      while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
      at += 1;
      return text.slice(from, at);
    };
    const value = () => {
      blank();
      const first = text[at];
      if (first === '"') return { kind: "s", raw: string() };
      if (first === "{" || first === "[") {
        const [kind, end] = first === "{" ? ["{", "}"] : ["[", "]"];
        const members = [];
        at += 1;
        blank();
        while (at < text.length && text[at] !== end) {
          let key = String(members.length);
          if (kind === "{") {
            const raw = string();
            try { key = JSON.parse(raw); } catch { key = raw; }
            blank();
            at += 1;
          }
          members.push([key, value()]);
          blank();
          if (text[at] === ",") at += 1;
          blank();
        }
        at += 1;
        return { kind, members };
      }
      const from = at;
      while (at < text.length && !/[\s,\]}]/.test(text[at])) at += 1;
      if (from === at) at += 1;
      const raw = text.slice(from, at);
      return { kind: /^[-\d]/.test(raw) ? "d" : "z", raw };
    };
    return value();
  };
  const drawValue = (value, path, marks) => {
    let drawn;
    if (value.kind === "{" || value.kind === "[") {
      const inner = value.members.flatMap(([key, member], place) => [
        place ? ", " : "",
        value.kind === "{" ? [el("span", { class: "k" }, key), ": "] : "",
        drawValue(member, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, marks),
      ]).flat();
      const [open, close] = value.kind === "{" ? ["{ ", " }"] : ["[", "]"];
      drawn = path === "" && value.kind === "{"
        ? el("span", {}, ...inner)
        : el("span", {}, value.members.length ? open : open.trim(), ...inner, value.members.length ? close : close.trim());
    } else {
      drawn = el("span", { class: value.kind }, value.raw);
    }
    return marks.has(path) ? el("mark", {}, drawn) : drawn;
  };
  const signature = ([name, args, result], marks) => {
    let inner = "";
    if (args !== null && args !== undefined) {
      try { inner = drawValue(parse(args), "", marks); } catch { inner = args; }
    }
    const answer = result === null || result === undefined ? null : el("span", { class: "res" }, `→ ${result}`);
    return el("div", { class: "sig" }, el("b", {}, name ?? "(no name)"), "(", inner, ")", answer);
  };

  /* Two texts, word by word: what only one of them has is marked. */
  const LONGEST = 600;
  const words = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) || [];
  const compared = (one, other) => {
    const [left, right] = [words(one), words(other)];
    if (left.length > LONGEST || right.length > LONGEST) return [[one], [other]];
    const table = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
    for (let i = left.length - 1; i >= 0; i -= 1) {
      for (let j = right.length - 1; j >= 0; j -= 1) {
        table[i][j] = left[i] === right[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
      }
    }
    const sides = [[], []];
    const put = (side, tag, word) => {
      const last = sides[side].at(-1);
      if (last && last.tag === tag) last.text += word;
      else sides[side].push({ tag, text: word });
    };
    let [i, j] = [0, 0];
    while (i < left.length || j < right.length) {
      if (i < left.length && j < right.length && left[i] === right[j]) {
        put(0, "", left[i]);
        put(1, "", right[j]);
        i += 1;
        j += 1;
      } else if (j >= right.length || (i < left.length && table[i + 1][j] >= table[i][j + 1])) {
        put(0, "del", left[i]);
        i += 1;
      } else {
        put(1, "ins", right[j]);
        j += 1;
      }
    }
    return sides.map((side) => side.map(({ tag, text }) => (tag ? el(tag, {}, text) : text)));
  };

  const pair = (kind, sign, word, left, right) => el("div", { class: `pair ${kind}` }, left, el("div", { class: "g", role: "img", "aria-label": word }, sign), right);
  const gap = (text) => el("div", { class: "gap" }, text);
  const texts = ([one, other], kind, [noLeft, noRight]) => {
    if (one === null && other === null) return null;
    if (one === null) return pair("extra", "+", "only actual", gap(noLeft), el("div", { class: "txt" }, other));
    if (other === null) return pair("miss", "−", "only expected", el("div", { class: "txt" }, one), gap(noRight));
    if (one === other) return pair(kind, "=", "equal", el("div", { class: "txt" }, one), el("div", { class: "txt" }, other));
    const [left, right] = compared(one, other);
    return pair(`${kind} diff`, "≈", "different", el("div", { class: "txt" }, ...left), el("div", { class: "txt" }, ...right));
  };
  const calls = ({ k, e, a, d }) => {
    const marks = new Set(d || []);
    if (k === "-" || !a) return pair("miss", "−", "missing", signature(e, marks), gap("never called"));
    if (k === "+" || !e) return pair("extra", "+", "extra", gap("not expected here"), signature(a, marks));
    if (k === "=") return pair("", "=", "equal", signature(e, marks), signature(a, marks));
    if (k === "~") return pair("diff", "≠", "different", signature(e, marks), signature(a, marks));
    return pair("", "?", "not compared", signature(e, marks), signature(a, marks));
  };

  const metrics = (line) => {
    const unscored = [];
    const tiles = criteria.flatMap(([name, needs], metric) => {
      if ((line.a || []).includes(metric)) return [];
      const score = line.s[metric];
      if (score === null || score === undefined) {
        unscored.push(name);
        return [];
      }
      const verdict = score >= needs ? "p" : "f";
      return [el("div", { class: `metric ${verdict}` }, el("b", {}, figure(score)), el("span", {}, `needs ${needs}`), el("small", {}, name))];
    });
    if (unscored.length) tiles.push(el("p", { class: "not-scored" }, `not scored: ${unscored.join(", ")}`));
    return tiles;
  };
  const drawCase = () => {
    const article = byId("case");
    const line = cases[state.chosen];
    if (!line) {
      const text = cases.length ? "Choose a case." : "No case was scored.";
      article.replaceChildren(el("p", { class: "empty" }, text));
      return;
    }
    const details = whole(state.chosen);
    const head = el(
      "header", { class: "case-head" },
      el("i", { class: `mark ${line.v}`, role: "img", "aria-label": WORDS[line.v] }),
      el("h2", {}, titleOf(line)),
      titleOf(line) === line.i ? null : el("span", { class: "id" }, line.i),
      line.r ? el("span", { class: "id" }, line.r) : null,
      (line.t || []).map((tag) => el("span", { class: "chip" }, tag)),
    );
    const failures = new Map();
    const unscored = new Map();
    (details.w || []).forEach((why, metric) => {
      if (!why) return;
      const into = line.s[metric] === null ? unscored : failures;
      into.set(why, [...(into.get(why) || []), criteria[metric][0]]);
    });
    const listed = (reasons, kind) => (reasons.size || (kind === "" && details.e) ? el(
      "div", { class: `why ${kind}` },
      kind === "" && details.e ? el("p", {}, el("b", {}, line.v === "e" ? "It could not be scored: " : "Terminated: "), el("span", { class: "txt" }, details.e)) : null,
      [...reasons].map(([why, names]) => el("p", {}, el("b", {}, `${names.join(", ")}: `), why)),
    ) : null);
    const why = [listed(failures, ""), listed(unscored, "u")].filter(Boolean);
    const sides = el(
      "div", { class: "sides" },
      el("span", {}, "Expected", el("small", {}, about.expected)), el("span", {}),
      el("span", {}, "Actual", el("small", {}, [about.actual, details.c].filter(Boolean).join(" · "))),
    );
    const many = details.t.length > 1;
    const turns = details.t.flatMap((turn, place) => [
      many || turn.x ? el("p", { class: "turn" }, `Turn ${place + 1}${turn.x ? ` · accepted trajectory ${turn.x}` : ""}`) : null,
      texts(turn.u, "user", ["no such turn", "no such turn"]),
      turn.c.map(calls),
      texts(turn.f, "", ["no response expected", "no response"]),
    ]);
    const perTurn = Object.entries(details.f || {}).map(([name, value]) => `${name} ${value === null ? "not recorded" : figure(value)}`);
    const met = (details.m || []).map(([metric, lines]) => el("p", {}, el("b", {}, `${criteria[metric][0]}: `), lines.join("; ")));
    if (perTurn.length) met.push(el("p", {}, el("b", {}, "Per turn, informational: "), perTurn.join(", ")));
    const happened = (details.l || []).map(([at, kind, who, what, from, text, value]) => el(
      "li", { class: `of-${kind}` },
      el("time", {}, `${at} s`),
      el("span", { class: "who" }, who),
      el("div", {}, what ? el("span", { class: "what" }, what) : null, from ? el("span", { class: "chip" }, from) : null, text ? el("span", { class: "txt" }, text) : null, value ? el("code", {}, value) : null),
    ));
    /* Without a golden trace there is nothing to compare a run with. */
    const isCompared = details.t.length && (details.h[0] || !happened.length);
    article.replaceChildren(
      head,
      ...(line.s.length ? [el("div", { class: "metrics" }, metrics(line))] : []),
      ...why,
      ...(met.length ? [el("div", { class: "why met" }, met)] : []),
      ...(isCompared ? [sides, ...turns.flat().filter(Boolean)] : []),
      ...(happened.length ? [
        el("p", { class: "turn" }, ["Run", details.c].filter(Boolean).join(" · ")),
        el("ol", { class: "timeline" }, happened),
        details.k ? el("p", { class: "hint" }, "Further events are in the report as JSON.") : null,
      ].filter(Boolean) : []),
    );
    article.scrollTop = 0;
  };

  /* The address. */
  const address = (changed) => {
    const { find, show, tag, metric, bin, chosen } = { ...state, ...changed };
    const query = new URLSearchParams();
    if (cases[chosen]) query.set("case", cases[chosen].i);
    if (cases[chosen] && places.get(cases[chosen].i) !== chosen) query.set("at", chosen);
    if (show) query.set("show", show);
    if (tag) query.set("tag", tag);
    if (metric >= 0) query.set("metric", criteria[metric][0]);
    if (bin >= 0) query.set("bin", bin);
    if (find) query.set("find", find);
    return `#${query}`;
  };
  const places = new Map();
  cases.forEach((line, place) => { if (!places.has(line.i)) places.set(line.i, place); });
  const readAddress = () => {
    const query = new URLSearchParams(location.hash.slice(1));
    const at = query.has("at") ? Number(query.get("at")) : places.get(query.get("case"));
    state.find = query.get("find") || "";
    state.show = [...(query.get("show") || "")].filter((key) => key in WORDS).join("");
    state.tag = query.get("tag") || "";
    state.metric = criteria.findIndex(([name]) => name === query.get("metric"));
    state.bin = state.metric >= 0 && query.has("bin") ? Number(query.get("bin")) : -1;
    filter();
    /* Whoever opens a report wants to know what failed. */
    const first = shown.find((place) => "fet".includes(verdictOf(cases[place]))) ?? shown[0] ?? -1;
    state.chosen = at !== undefined && cases[at] ? at : first;
    byId("find").value = state.find;
    byId("metric").value = String(state.metric);
    byId("tag").value = state.tag;
  };
  const drawCounts = () => {
    const all = shown.length === cases.length;
    byId("count").textContent = all ? "" : `${number.format(shown.length)} of ${number.format(cases.length)} ${cases.length === 1 ? "case" : "cases"}`;
    byId("count").hidden = all;
  };
  const draw = () => {
    drawSummary();
    drawCounts();
    reveal();
    drawRows();
    drawCase();
  };
  const change = (changed) => {
    Object.assign(state, changed);
    filter();
    if (!shown.includes(state.chosen) && shown.length) state.chosen = shown[0];
    byId("metric").value = String(state.metric);
    byId("tag").value = state.tag;
    history.replaceState(null, "", address({}));
    draw();
  };
  const choose = (place) => {
    state.chosen = place;
    history.replaceState(null, "", address({}));
    reveal();
    drawRows();
    drawCase();
  };
  const step = (by, wanted) => {
    let at = shown.indexOf(state.chosen) + by;
    while (shown[at] !== undefined && wanted && !wanted(cases[shown[at]])) at += by;
    if (shown[at] !== undefined) choose(shown[at]);
  };

  const setTheme = () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };
  const open = (id) => byId(id).showModal();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const typing = event.target.matches("input, select");
    if (event.key === "Escape") {
      byId("find").value = "";
      change({ find: "", show: "", tag: "", metric: -1, bin: -1 });
      list.focus();
      return;
    }
    if (event.target.matches("#find") && (event.key === "ArrowDown" || event.key === "Enter")) {
      list.focus();
    } else if (typing) return;
    const unmet = (line) => verdictOf(line) !== "p";
    const keys = {
      ArrowDown: () => step(1), ArrowUp: () => step(-1), j: () => step(1), k: () => step(-1),
      n: () => step(1, unmet), p: () => step(-1, unmet),
      Home: () => shown.length && choose(shown[0]), End: () => shown.length && choose(shown.at(-1)),
      PageDown: () => step(Math.min(10, Math.max(1, shown.length - 1 - shown.indexOf(state.chosen)))),
      PageUp: () => step(-Math.min(10, Math.max(1, shown.indexOf(state.chosen)))),
      x: () => change({ show: state.show === "fet" ? "" : "fet" }),
      "/": () => byId("find").select(), t: setTheme, "?": () => open("keys"),
    };
    const act = keys[event.key];
    const scrolls = ["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"].includes(event.key);
    if (!act || (scrolls && byId("case").contains(event.target))) return;
    event.preventDefault();
    act();
  });
  list.addEventListener("scroll", drawRows, { passive: true });
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("a");
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(Number(row.id.slice(4)));
  });
  byId("find").addEventListener("input", (event) => change({ find: event.target.value }));
  byId("metric").addEventListener("change", (event) => change({ metric: Number(event.target.value), bin: -1 }));
  byId("tag").addEventListener("change", (event) => change({ tag: event.target.value }));
  byId("theme").addEventListener("click", setTheme);
  byId("keys-open").addEventListener("click", () => open("keys"));
  byId("config-open").addEventListener("click", () => open("config"));
  byId("details-open").addEventListener("click", () => open("details"));
  addEventListener("hashchange", () => { readAddress(); draw(); });
  addEventListener("resize", drawRows);

  const heads = { title: about.name || about.set, expected: about.expected, actual: about.actual, "config-text": about.config, "details-text": about.details };
  Object.entries(heads).forEach(([id, text]) => { byId(id).textContent = visible(text); });
  byId("details-open").hidden = about.details === "";
  byId("metric").append(el("option", { value: "-1" }, "All criteria"), ...criteria.map(([name], metric) => el("option", { value: metric }, name)));
  const tags = [...new Set(cases.flatMap((line) => line.t || []))].sort();
  byId("tag").append(el("option", { value: "" }, "All tags"), ...tags.map((tag) => el("option", { value: tag }, tag)));
  byId("tag").hidden = tags.length === 0;
  byId("counts").textContent = visible(about.counts);
  byId("made").textContent = `scored in ${about.seconds < 1 ? `${(about.seconds * 1000).toFixed(1)} ms` : `${about.seconds.toFixed(1)} s`}, ${about.created}`;
  readAddress();
  draw();
  performance.mark("drawn");
  document.documentElement.dataset.drawn = "";
})();
