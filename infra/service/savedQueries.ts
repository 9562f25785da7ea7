/** Saved queries for CloudWatch Logs Insights. docs/operations.md says when to use each. */
import { Stack } from 'aws-cdk-lib'
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { FUNCTION_NAMES, type FunctionName, mapFunctions, routeKeyOf } from '../routes.ts'
import type { Monitored } from './dashboard.ts'

export function saveQueries(scope: Construct, { api, functions }: Monitored): void {
  const logs = { Access: api.accessLog, ...mapFunctions((name) => functions[name].logGroup) }
  for (const [name, { of, query }] of Object.entries(QUERIES))
    new CfnQueryDefinition(scope, name.replaceAll(' ', ''), {
      name: `${Stack.of(scope).stackName}/${name}`,
      logGroupNames: of.map((log) => logs[log].logGroupName),
      queryString: query.trim(),
    })
}

/**
 * Each query, and the logs that it reads.
 *
 * One request has the same `invocation` in the access log and in the function's log. A function that runs out of time or
 * memory logs no error, but Lambda logs a report. The access log holds numbers as text, so sorting needs `* 1`.
 */
const QUERIES: Record<string, { of: ('Access' | FunctionName)[]; query: string }> = {
  'What failed': {
    of: ['Access', ...FUNCTION_NAMES],
    query: `
fields coalesce(functionRequestId, record.requestId, requestId) as invocation, @timestamp, apiRequestId, status
| fields coalesce(message.route, routeKey) as route, message.query as query, message.error.message as error
| fields coalesce(message.error.cause.name, message.error.name, record.status, integrationError) as cause
| fields message.error.cause.databaseRequestId as databaseRequestId, @message
| filter status >= 500 or level = "ERROR" or record.status in ["timeout", "error", "failure"]
| sort @timestamp desc | limit 100`,
  },
  'What was slow': {
    of: ['Access'],
    query: `
fields @timestamp, responseLatency * 1 as milliseconds, routeKey, path, status, functionRequestId
| sort milliseconds desc | limit 50`,
  },
  'Who calls most': {
    of: ['Access'],
    query: 'stats count(*) as requests by routeKey, sourceIp, userAgent | sort requests desc | limit 25',
  },
  'What was refused': {
    of: ['Access'],
    query: 'filter status = 429 | stats count(*) as requests by routeKey, bin(5m) | sort requests desc | limit 100',
  },
  'Which joke is voted on most': {
    of: ['Access'],
    query: `
filter routeKey = "${routeKeyOf('ThumbsUp')}"
| stats count(*) as upvotes, count_distinct(sourceIp) as addresses by path | sort upvotes desc | limit 25`,
  },
  'Who adds most': {
    of: ['Create'],
    query: `
filter ispresent(message.added)
| stats count(*) as jokes, min(@timestamp) as first, max(@timestamp) as last by message.forwardedFor
| sort jokes desc | limit 25`,
  },
  'Who added what': {
    of: ['Create'],
    query: `
filter ispresent(message.added)
| fields @timestamp, message.added, message.forwardedFor, message.apiRequestId | sort @timestamp desc | limit 10000`,
  },
}
