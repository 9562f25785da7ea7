/** Global set-up of the tests on the DynamoDB that `DYNAMODB_ENDPOINT` names. */
import type { TestProject } from 'vitest/node'

export default function setUp(project: TestProject): void {
  const { DYNAMODB_ENDPOINT } = process.env
  if (!DYNAMODB_ENDPOINT) throw new Error('DYNAMODB_ENDPOINT is not set.')
  project.provide('endpoint', DYNAMODB_ENDPOINT)
}
