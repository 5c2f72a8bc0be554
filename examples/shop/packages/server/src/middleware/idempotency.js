"use strict";

const { createHash } = require("node:crypto");

const KEEP_MS = 24 * 60 * 60 * 1000;
const MAX_KEY_LENGTH = 128;

function fingerprint(req) {
  const body = JSON.stringify(req.body ?? null);
  return createHash("sha256").update(`${req.method} ${req.originalUrl}\n${body}`).digest("hex");
}

/**
 * Answers a repeated request with the first answer. A client that lost the answer on the way can send its order again
 * without buying twice. The same key with another body is a mistake of the client and is told so.
 *
 * @param {{ clock: () => Date }} options
 */
function idempotent({ clock }) {
  /** @type {Map<string, { print: string, at: number, status: number, body: unknown }>} */
  const answers = new Map();

  function forgetOld(now) {
    for (const [key, answer] of answers) {
      if (now - answer.at < KEEP_MS) break; // in the order of insertion, oldest first
      answers.delete(key);
    }
  }

  return function idempotency(req, res, next) {
    const key = req.get("Idempotency-Key");
    if (!key) return next();
    if (key.length > MAX_KEY_LENGTH) {
      return res.status(400).json({ error: { code: "invalid_key", message: "Idempotency-Key is too long" } });
    }

    const now = clock().getTime();
    forgetOld(now);
    const print = fingerprint(req);
    const known = answers.get(key);
    if (known && known.print !== print) {
      return res.status(422).json({ error: { code: "key_reused", message: "This key belongs to another request" } });
    }
    if (known) return res.status(known.status).set("Idempotent-Replay", "true").json(known.body);

    const send = res.json.bind(res);
    res.json = (body) => {
      // A failure on our side is worth another try, so it is not kept.
      if (res.statusCode < 500) answers.set(key, { print, at: now, status: res.statusCode, body });
      return send(body);
    };
    return next();
  };
}

module.exports = { idempotent };
