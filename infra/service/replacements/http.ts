/**
 * Replaces `node:http` in the bundles. If an ES module imports `node:http`, all its getters are evaluated, and one of
 * them loads undici. That is a third of a function's load time (https://github.com/nodejs/node/issues/59686).
 */
export const { Agent, request, STATUS_CODES } = process.getBuiltinModule('node:http')
