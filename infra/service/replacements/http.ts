/**
 * Replaces `node:http` in the bundles. An import of it by an ES module evaluates all its getters, and one of them loads
 * undici, a third of the time that a function takes to load (https://github.com/nodejs/node/issues/59686).
 */
export const { Agent, request, STATUS_CODES } = process.getBuiltinModule('node:http')
