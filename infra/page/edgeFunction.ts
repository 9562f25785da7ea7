/** The function that CloudFront runs on each request for a file. Its file in `edge/` is for CloudFront's runtime. */
import { readFileSync } from 'node:fs'
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront'
import type { Construct } from 'constructs'
import { transformSync } from 'esbuild'
import { NOT_FOUND } from '../../web/build.ts'

export class EdgeFunction extends cloudfront.Function {
  constructor(scope: Construct, id: string) {
    const code = transpile(readFileSync(new URL('edge/findDocs.ts', import.meta.url), 'utf8'))
    super(scope, id, {
      code: cloudfront.FunctionCode.fromInline(code),
      runtime: cloudfront.FunctionRuntime.JS_2_0,
    })
  }
}

/**
 * Turns TypeScript into code for runtime 2.0: ES 5.1 and little more. Classes, for example, are refused.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html
 */
export function transpile(source: string): string {
  const { code } = transformSync(source, {
    loader: 'ts',
    target: 'es5',
    supported: { 'const-and-let': true, arrow: true },
    define: { NOT_FOUND: JSON.stringify(NOT_FOUND) },
  })
  // CloudFront calls `handler`, and has no exports.
  return code.replace(/^export (?=function handler)/m, '')
}
