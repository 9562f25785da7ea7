/** Replaces `node:https` in the bundles, because it loads `node:http`. See `http.ts`. */
const https = process.getBuiltinModule('node:https')

export default https
export const { Agent } = https
