/** The stack of the page. */
import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, describe, expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { transpile } from '../../infra/page/edgeFunction.ts'
import { CORS } from '../../infra/routes.ts'
import { MAX_IDS } from '../../shared/clientLimits.ts'
import { buildSite } from '../../web/build.ts'
import { withApp } from '../support/app.ts'
import { temporaryFolder } from '../support/process.ts'
import { PRODUCTION, pageOf, propertiesOf, readable } from '../support/templates.ts'

const outdir = temporaryFolder(afterAll)

const site = await buildSite()
const plain = templateFor('plain')
const { resources } = readable(plain)
const config = resources.Distribution.Properties.DistributionConfig
const [fileOrigin, apiOrigin] = config.Origins

const [, inlineScript = ''] = /<script>(.*?)<\/script>/s.exec(`${site.get('/')?.body}`) ?? []
const CONTENT_SECURITY_POLICY = `default-src 'none'; script-src 'self' 'sha256-${hash('sha256', inlineScript, 'base64')}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

it('CloudFront serves everything over TLS behind the firewall', () => {
  const Logging = { Bucket: 'Logs.RegionalDomainName', Prefix: 'requests/' }
  expect(config).toMatchObject({ HttpVersion: 'http2and3', WebACLId: 'Firewall.Arn', Logging })
  // An IPv6 network has more addresses than the firewall can count.
  expect(config.IPV6Enabled).toBe(false)
  const OriginAccessControlId = 'DistributionOrigin1S3OriginAccessControl.Id'
  expect(fileOrigin).toMatchObject({ DomainName: 'Files.RegionalDomainName', OriginAccessControlId })
  const CustomOriginConfig = { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] }
  expect(apiOrigin).toMatchObject({ DomainName: 'ApiHost', CustomOriginConfig })
  expect(config.DefaultCacheBehavior).toMatchObject({
    TargetOriginId: fileOrigin.Id,
    ViewerProtocolPolicy: 'redirect-to-https',
    // The policy CachingOptimized obeys the file's Cache-Control.
    CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
    ResponseHeadersPolicyId: 'FileHeaders',
    FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN: 'FindDocs.FunctionARN' }],
    Compress: true,
  })
  const api = {
    TargetOriginId: apiOrigin.Id,
    ViewerProtocolPolicy: 'https-only',
    AllowedMethods: expect.arrayContaining(['GET', 'HEAD', 'OPTIONS', 'POST']),
    // The policy AllViewerExceptHostHeader, because API Gateway refuses names of other hosts.
    OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
    ResponseHeadersPolicyId: 'ApiHeaders',
    Compress: true,
  }
  expect(config.CacheBehaviors).toEqual([
    { ...api, PathPattern: '/joke', CachePolicyId: 'Listings' },
    // The policy CachingDisabled.
    { ...api, PathPattern: '/thumbsUp/*', CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad' },
  ])
})

it('CloudFront caches listings for at most five seconds', () => {
  const policy = resources.Listings.Properties.CachePolicyConfig
  expect(policy).toMatchObject({ MinTTL: 0, DefaultTTL: 0, MaxTTL: 5 })
  expect(policy.ParametersInCacheKeyAndForwardedToOrigin).toMatchObject({
    QueryStringsConfig: { QueryStringBehavior: 'all' },
    HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['accept'] },
    CookiesConfig: { CookieBehavior: 'none' },
    EnableAcceptEncodingBrotli: true,
    EnableAcceptEncodingGzip: true,
  })
  // These are all errors that CloudFront would cache.
  const errors = [400, 403, 404, 405, 414, 500, 502, 503, 504]
  const uncached = errors.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 }))
  expect(config.CustomErrorResponses).toEqual(uncached)
})

it('CloudFront adds the headers of each path', () => {
  const headersOf = (id: string) => resources[id].Properties.ResponseHeadersPolicyConfig
  const [ofFiles, ofApi] = [headersOf('FileHeaders'), headersOf('ApiHeaders')]
  const protectsAll = {
    ContentTypeOptions: { Override: true },
    StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, IncludeSubdomains: false, Override: true },
  }
  expect(ofFiles.SecurityHeadersConfig).toEqual({
    ...protectsAll,
    ContentSecurityPolicy: { ContentSecurityPolicy: CONTENT_SECURITY_POLICY, Override: true },
    FrameOptions: { FrameOption: 'DENY', Override: true },
    ReferrerPolicy: { ReferrerPolicy: 'same-origin', Override: true },
  })
  expect(ofApi.SecurityHeadersConfig).toEqual(protectsAll)
  expect(ofApi.CorsConfig).toEqual({
    AccessControlAllowOrigins: { Items: CORS.allowOrigins },
    AccessControlAllowMethods: { Items: CORS.allowMethods },
    AccessControlAllowHeaders: { Items: CORS.allowHeaders },
    AccessControlExposeHeaders: { Items: CORS.exposeHeaders },
    AccessControlMaxAgeSec: CORS.maxAgeSeconds,
    AccessControlAllowCredentials: false,
    OriginOverride: true,
  })
})

it('the firewall limits requests per IP address', () => {
  const { Scope, DefaultAction, Rules } = resources.Firewall.Properties
  expect([Scope, DefaultAction]).toEqual(['CLOUDFRONT', { Allow: {} }])
  // Without these, `/%64ocs/` would avoid the rule.
  const TextTransformations = ['URL_DECODE', 'NORMALIZE_PATH'].map((Type, Priority) => ({ Priority, Type }))
  const ByteMatchStatement = {
    FieldToMatch: { UriPath: {} },
    PositionalConstraint: 'STARTS_WITH',
    SearchString: '/docs',
    TextTransformations,
  }
  const ResponseHeaders = [
    { Name: 'retry-after', Value: '60' },
    { Name: 'access-control-allow-origin', Value: '*' },
    { Name: 'access-control-expose-headers', Value: 'retry-after' },
  ]
  const rate = (Limit: number, limited: object = {}) => ({
    Action: { Block: { CustomResponse: { ResponseCode: 429, ResponseHeaders } } },
    Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit, ...limited } },
  })
  expect(Rules).toMatchObject([rate(3_000), rate(150, { ScopeDownStatement: { ByteMatchStatement } })])
  const isSeen = { CloudWatchMetricsEnabled: true, SampledRequestsEnabled: true }
  for (const [Priority, rule] of Rules.entries())
    expect(rule).toMatchObject({ Priority, VisibilityConfig: { ...isSeen, MetricName: rule.Name } })
})

it('an upload replaces all files without waiting for CloudFront', () => {
  expect(resources.UploadCustomResource.Properties).toMatchObject({
    DestinationBucketName: 'Files',
    SystemMetadata: { 'cache-control': 'no-cache' },
    DistributionId: 'Distribution',
    WaitForDistributionInvalidation: false,
    Prune: true,
  })
})

it('the page has no log group but that of the uploads', () => {
  expect(propertiesOf(plain, 'AWS::Logs::LogGroup')).toEqual([{ RetentionInDays: 30 }])
})

it('logs of CloudFront are kept for 90 days', () => {
  expect(resources.Logs.Properties).toMatchObject({
    OwnershipControls: { Rules: [{ ObjectOwnership: 'ObjectWriter' }] },
    LifecycleConfiguration: { Rules: [{ ExpirationInDays: 90, Status: 'Enabled' }] },
  })
})

it('only CloudFront may read the files', () => {
  const statements: Record<string, unknown>[] = resources.FilesPolicy.Properties.PolicyDocument.Statement
  const emptying = ['s3:DeleteObject*', 's3:GetBucket*', 's3:List*', 's3:PutBucketPolicy']
  expect(statements.map(({ Effect, Principal, Action }) => [Effect, Principal, Action])).toEqual([
    // This statement rejects requests without TLS.
    ['Deny', { AWS: '*' }, 's3:*'],
    // This role empties the bucket before it is deleted.
    ['Allow', { AWS: 'CustomS3AutoDeleteObjectsCustomResourceProviderRole.Arn' }, emptying],
    ['Allow', { Service: 'cloudfront.amazonaws.com' }, 's3:GetObject'],
  ])
})

it.each([
  ['prod', ['Retain', 'RetainExceptOnCreate', 'Delete']],
  ['dev', ['Delete', 'Delete', 'Delete']],
])('only production keeps the page stack: %s', (stage, policies) => {
  const { terminationProtection, Logs, UploadLog, Files } = withApp({ stage }, (app) => {
    const stack = pageOf(app)
    return { ...readable(Template.fromStack(stack)).resources, terminationProtection: stack.terminationProtection }
  })
  expect(terminationProtection).toBe(stage === 'prod')
  expect([Logs, UploadLog, Files].map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(policies)
})

it('the host of the API is a parameter without a default', () => {
  expect(plain.toJSON().Parameters.ApiHost).toEqual({
    Type: 'String',
    AllowedPattern: '[a-z0-9.-]+',
    Description: "The output ApiHost of the service's stack",
  })
})

it('the longest listings fit in a URL of CloudFront', () => {
  const longest = [{ id: Array(MAX_IDS).fill('x'.repeat(22)).join(',') }, { searchString: '笑'.repeat(200) }]
  for (const query of longest) expect(`/joke?${new URLSearchParams(query)}`.length).toBeLessThan(8_192)
})

/** CloudFront's runtime descends from njs, which Debian packages under this name. */
const isNjsInstalled = spawnSync('njs', ['-v']).status === 0

describe.each([
  { engine: 'V8', run: (script: string) => runInNewContext(script) },
  { engine: 'njs', run: runOnNjs },
])('on $engine, if installed', ({ engine, run }) => {
  const onEngine = it.skipIf(engine === 'njs' && !isNjsInstalled)

  /** Returns what a function returns for each request. */
  function answersOf(id: string, ...requests: object[]) {
    const events = requests.map((request) => ({ request }))
    const code = resources[id].Properties.FunctionCode
    return JSON.parse(run(`(function () { ${code}; return JSON.stringify(${JSON.stringify(events)}.map(handler)) })()`))
  }

  onEngine('FindDocs finds exactly the uploaded files', () => {
    const files = globSync('asset.*/**/*.*', { cwd: join(outdir, 'plain') })
    const uploads = files.map((file) => file.replace(/^asset\.\w+/, ''))
    const paths = [...site.keys(), '/docs/'].map((path) => (path === '/' ? `/${config.DefaultRootObject}` : path))
    for (const { uri } of answersOf('FindDocs', ...paths.map((uri) => ({ uri })))) expect(uploads).toContain(uri)
    const [{ statusCode, headers, body }] = answersOf('FindDocs', { uri: '/foo' })
    expect([statusCode, headers['content-type'].value]).toEqual([404, 'text/html; charset=utf-8'])
    expect(body).toContain('There is nothing here')
  })
})

it('the functions at CloudFront fit its runtime', () => {
  for (const { FunctionCode, FunctionConfig } of propertiesOf(plain, 'AWS::CloudFront::Function')) {
    expect(FunctionConfig.Runtime).toBe('cloudfront-js-2.0')
    expect(Buffer.byteLength(FunctionCode)).toBeLessThan(10_000)
    expect(FunctionCode).not.toMatch(/\b__|^export/m)
  }
})

it.each([
  'const { request } = event',
  'for (const name of names) use(name)',
  'use(...names)',
  'function use(names = []) {}',
  'class Request {}',
])('a function with syntax that CloudFront lacks is refused: %s', (code) => {
  expect(() => transpile(code)).toThrow('is not supported yet')
})

it('your own domain uses its own certificate', () => {
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/a1b2'
  const own = readable(templateFor('own', { domainName: 'jokes.example.com', certificateArn }))
  const tls = { MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' }
  const domain = { Aliases: ['jokes.example.com'], ViewerCertificate: { AcmCertificateArn: certificateArn, ...tls } }
  expect(own.resources.Distribution.Properties.DistributionConfig).toEqual({ ...config, ...domain })
  expect(own.outputs.DistributionHost.Value).toBe('Distribution.DomainName')
  expect(own.outputs.PageUrl.Value).toBe('https://jokes.example.com/')
  expect(pagesIn('own')).toContain('content="https://jokes.example.com/card.png"')
  expect(pagesIn('plain')).toMatch(/content="https:\/\/<<marker:.*>>\/card\.png"/)
})

function templateFor(folder: string, prod: Record<string, string> = {}) {
  const context = { ...cdk.context, ...PRODUCTION, stages: { prod } }
  const app = new App({ outdir: join(outdir, folder), context, builtinCloudFormationValidation: false })
  return Template.fromStack(pageOf(app, site))
}

/** The HTML of the page in the assets of a synthesis. */
function pagesIn(folder: string): string {
  const files = globSync(join(outdir, folder, 'asset.*/index.html'))
  return files.map((file) => readFileSync(file, 'utf8')).join()
}

/** Runs a script on njs. It returns the result in a file, because the console of njs prints only 2 kB. */
function runOnNjs(script: string): string {
  const [file, answer] = [join(outdir, 'njs.js'), join(outdir, 'answer')]
  writeFileSync(file, `require('fs').writeFileSync(${JSON.stringify(answer)}, ${script})`)
  execFileSync('njs', [file])
  return readFileSync(answer, 'utf8')
}
