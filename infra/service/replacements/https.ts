/** Replaces `node:https` in the bundles, which loads `node:http`: see there. */
const https = process.getBuiltinModule('node:https')

export default https
export const { Agent } = https
