"use strict";

/** Query values and bodies hold names and addresses, so only the path is written down. */
function requestLog(write) {
  return function logRequest(req, res, next) {
    const started = process.hrtime.bigint();
    res.once("finish", () => {
      const ms = Number(process.hrtime.bigint() - started) / 1e6;
      write(`${req.method} ${req.baseUrl}${req.path} ${res.statusCode} ${ms.toFixed(1)}ms`);
    });
    next();
  };
}

exports.requestLog = requestLog;
