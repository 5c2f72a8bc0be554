"use strict";

const { ShopError, ValidationError } = require("@kettle/core");

function notFound(req, res) {
  res.status(404).json({ error: { code: "no_such_route", message: `${req.method} ${req.path}` } });
}

function describe(error) {
  if (error instanceof ValidationError) {
    return { status: error.status, body: { code: error.code, message: error.message, issues: error.issues } };
  }
  if (error instanceof ShopError) {
    return { status: error.status, body: { code: error.code, message: error.message } };
  }
  if (error.type === "entity.parse.failed") {
    return { status: 400, body: { code: "invalid_json", message: "The body is not JSON" } };
  }
  return { status: 500, body: { code: "internal", message: "Something went wrong on our side" } };
}

// Express tells an error handler from a plain one by its four parameters.
// eslint-disable-next-line no-unused-vars
function answerErrors(error, req, res, next) {
  const { status, body } = describe(error);
  if (status >= 500) console.error(`${req.method} ${req.originalUrl}`, error);
  res.status(status).json({ error: body });
}

module.exports = { answerErrors, notFound };
