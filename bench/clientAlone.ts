/** A bundle of the DynamoDB client and one command, to compare the service's bundles with. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const SOURCE = `
  import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
  const client = new DynamoDBClient()
  export const handler = (event) => client.send(new QueryCommand(event))
`

/** Builds the bundle in a folder, and returns its file. */
export async function bundleClientAlone(folder: string): Promise<string> {
  const outfile = join(folder, 'clientAlone.mjs')
  await build({
    stdin: { contents: SOURCE, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    outfile,
    bundle: true,
    platform: 'node',
    // The same as in infra/service/serviceFunction.ts.
    format: 'esm',
    minify: true,
    target: 'node24',
    mainFields: ['module', 'main'],
  })
  return outfile
}
