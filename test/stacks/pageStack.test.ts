/** The stack of the page. */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, describe, expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { JokePage } from '../../infra/page/jokePage.ts'
import { readSettings } from '../../infra/settings.ts'
import { respondPage } from '../../shared/http.ts'
import { MAX_IDS, parseListing } from '../../shared/listing.ts'
import { buildSite, SECURITY_HEADERS } from '../../web/build.ts'
import { temporaryFolder } from '../support/process.ts'
import { readable } from '../support/templates.ts'

const outdir = temporaryFolder(afterAll)

const site = await buildSite()
const { resources } = readable(templateFor('plain'))
const config = resources.Distribution.Properties.DistributionConfig
const [fileOrigin, apiOrigin] = config.Origins

const [, inlineScript = ''] = /<script>(.*?)<\/script>/s.exec(`${site.get('/')?.body}`) ?? []
const CONTENT_SECURITY_POLICY = `default-src 'none'; script-src 'self' 'sha256-${hash('sha256', inlineScript, 'base64')}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const API = {
  TargetOriginId: apiOrigin.Id,
  ViewerProtocolPolicy: 'https-only',
  AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
  // AllViewerExceptHostHeader: API Gateway refuses other names than its own.
  OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
  ResponseHeadersPolicyId: 'ApiHeaders',
  Compress: true,
}
const API_HOST = { StackName: 'JokeService', Region: 'eu-west-1', OutputName: 'ApiHost' }
const atRequest = (name: string) => [{ EventType: 'viewer-request', FunctionARN: `${name}.FunctionARN` }]
/** All that CloudFront would cache, and API Gateway or S3 may answer. */
const ERRORS = [400, 403, 404, 405, 414, 500, 502, 503, 504]
const NAMED = { Name: expect.any(String) }
const HEADERS_OF_ALL = {
  ContentTypeOptions: { Override: true },
  StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, IncludeSubdomains: true, Override: true },
}
const IS_POST = {
  FieldToMatch: { Method: {} },
  PositionalConstraint: 'EXACTLY',
  SearchString: 'POST',
  TextTransformations: [{ Priority: 0, Type: 'NONE' }],
}
const RETRY = { Name: 'retry-after', Value: '60' }
const ALLOW_ORIGIN = { Name: 'access-control-allow-origin', Value: '*' }
const EXPOSE = { Name: 'access-control-expose-headers', Value: 'retry-after' }
const BLOCK = { CustomResponse: { ResponseCode: 429, ResponseHeaders: [RETRY, ALLOW_ORIGIN, EXPOSE] } }
/** The rules that look for attacks in a body or query, which may be a joke or a search. */
const COUNTED = ['JavaDeserializationRCE_BODY', 'JavaDeserializationRCE_QUERYSTRING', 'Log4JRCE_BODY']
COUNTED.push('Log4JRCE_QUERYSTRING', 'ReactJSRCE_BODY')

/** The resources in the form of {@link readable}. */
const EXPECTED: Record<string, object> = {
  Distribution: {
    DistributionConfig: {
      Comment: expect.any(String),
      Enabled: true,
      IPV6Enabled: true,
      HttpVersion: 'http2and3',
      DefaultRootObject: 'index.html',
      WebACLId: 'FirewallWebAcl.Arn',
      Logging: { Bucket: 'Logs.RegionalDomainName', Prefix: 'requests/' },
      Origins: [
        {
          Id: fileOrigin.Id,
          DomainName: 'Files.RegionalDomainName',
          OriginAccessControlId: 'DistributionOrigin1S3OriginAccessControl.Id',
          S3OriginConfig: { OriginAccessIdentity: '' },
        },
        {
          Id: apiOrigin.Id,
          DomainName: { 'Fn::GetStackOutput': API_HOST },
          CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
        },
      ],
      DefaultCacheBehavior: {
        TargetOriginId: fileOrigin.Id,
        ViewerProtocolPolicy: 'redirect-to-https',
        // CachingOptimized: as long as the file's Cache-Control says.
        CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
        ResponseHeadersPolicyId: 'FileHeaders',
        FunctionAssociations: atRequest('FindDocs'),
        Compress: true,
      },
      CacheBehaviors: [
        { ...API, PathPattern: '/joke', CachePolicyId: 'Listings', FunctionAssociations: atRequest('TellApart') },
        // CachingDisabled.
        { ...API, PathPattern: '/thumbsUp/*', CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad' },
      ],
      CustomErrorResponses: ERRORS.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    },
  },
  Listings: {
    CachePolicyConfig: {
      ...NAMED,
      Comment: expect.any(String),
      MinTTL: 0,
      DefaultTTL: 5,
      MaxTTL: 5,
      ParametersInCacheKeyAndForwardedToOrigin: {
        QueryStringsConfig: { QueryStringBehavior: 'all' },
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['x-cache-apart', 'accept'] },
        CookiesConfig: { CookieBehavior: 'none' },
        EnableAcceptEncodingBrotli: true,
        EnableAcceptEncodingGzip: true,
      },
    },
  },
  FileHeaders: {
    ResponseHeadersPolicyConfig: {
      ...NAMED,
      SecurityHeadersConfig: {
        ...HEADERS_OF_ALL,
        ContentSecurityPolicy: { ContentSecurityPolicy: CONTENT_SECURITY_POLICY, Override: true },
        FrameOptions: { FrameOption: 'DENY', Override: true },
        ReferrerPolicy: { ReferrerPolicy: 'same-origin', Override: true },
      },
    },
  },
  ApiHeaders: {
    ResponseHeadersPolicyConfig: {
      ...NAMED,
      SecurityHeadersConfig: HEADERS_OF_ALL,
      CorsConfig: {
        AccessControlAllowOrigins: { Items: ['*'] },
        AccessControlAllowMethods: { Items: ['GET', 'POST'] },
        AccessControlAllowHeaders: { Items: ['content-type'] },
        AccessControlExposeHeaders: { Items: ['link', 'retry-after'] },
        AccessControlMaxAgeSec: 86_400,
        AccessControlAllowCredentials: false,
        OriginOverride: true,
      },
    },
  },
  FirewallWebAcl: {
    Name: 'JokePage',
    Scope: 'CLOUDFRONT',
    DefaultAction: { Allow: {} },
    VisibilityConfig: visibility('JokePage'),
    Rules: [
      rate(0, 'RatePerAddress', { Limit: 3_000 }),
      rate(1, 'WritesPerAddress', { Limit: 300, ScopeDownStatement: { ByteMatchStatement: IS_POST } }),
      managed(2, 'AWSManagedRulesAmazonIpReputationList', []),
      managed(3, 'AWSManagedRulesKnownBadInputsRuleSet', COUNTED),
    ],
  },
  UploadCustomResource: expect.objectContaining({
    DestinationBucketName: 'Files',
    // Browsers revalidate each file, so they never mix files of different versions.
    SystemMetadata: { 'cache-control': 'no-cache' },
    DistributionId: 'Distribution',
    DistributionPaths: ['/*'],
    Prune: true,
  }),
  DistributionOrigin1S3OriginAccessControl: expect.objectContaining({
    OriginAccessControlConfig: expect.objectContaining({
      OriginAccessControlOriginType: 's3',
      SigningBehavior: 'always',
    }),
  }),
}

it.each(Object.keys(EXPECTED))('%s is as expected', (id) => {
  expect(resources[id].Properties).toEqual(EXPECTED[id])
})

it('the buckets are not public, and go with their stack; logs earlier', () => {
  const all = { BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true }
  for (const { Properties, DeletionPolicy } of [resources.Files, resources.Logs])
    expect([Properties.PublicAccessBlockConfiguration, DeletionPolicy]).toEqual([all, 'Delete'])
  const Rules = [{ ExpirationInDays: 90, Status: 'Enabled' }]
  expect(resources.Logs.Properties.LifecycleConfiguration).toEqual({ Rules })
})

it('only the distribution reads the files, and nobody without TLS', () => {
  const anybody = { Effect: 'Deny', Principal: { AWS: '*' }, Action: 's3:*', Resource: ['Files.Arn', 'Files.Arn/*'] }
  const distribution = { Effect: 'Allow', Principal: { Service: 'cloudfront.amazonaws.com' }, Action: 's3:GetObject' }
  const SourceArn = 'arn:AWS::Partition:cloudfront::AWS::AccountId:distribution/Distribution'
  expect(resources.FilesPolicy.Properties.PolicyDocument.Statement).toEqual([
    { ...anybody, Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    // The function that empties the bucket before it is deleted.
    expect.objectContaining({ Principal: { AWS: 'CustomS3AutoDeleteObjectsCustomResourceProviderRole.Arn' } }),
    { ...distribution, Resource: 'Files.Arn/*', Condition: { StringEquals: { 'AWS:SourceArn': SourceArn } } },
  ])
})

it('files are served with the same headers locally', () => {
  expect(SECURITY_HEADERS).toEqual({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
})

it('files are all at the paths where the distribution looks for them', () => {
  const run = edgeFunction('FindDocs')
  const uploads = readdirSync(join(outdir, 'plain'), { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replace(/^asset\.\w+/, ''),
  )
  for (const path of [...site.keys(), '/docs/']) {
    const { uri } = run({ request: { uri: path === '/' ? `/${config.DefaultRootObject}` : path } })
    expect(uploads).toContain(uri)
  }
})

it('the app of a stage reads its settings, and the address of its service', async () => {
  const folder = join(outdir, 'dev')
  const context = { ...cdk.context, stage: 'dev', contact: 'jokes@example.com' }
  await promisify(execFile)(process.execPath, ['infra/pageApp.ts'], {
    env: { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_DEFAULT_REGION: 'eu-west-3' },
  })
  const { Resources } = JSON.parse(readFileSync(join(folder, 'Page-JokeService-dev.template.json'), 'utf8'))
  const expected = { ...API_HOST, StackName: 'JokeService-dev', Region: 'eu-west-3' }
  expect(JSON.stringify(Resources)).toContain(JSON.stringify({ 'Fn::GetStackOutput': expected }))
  expect(pagesIn('dev')).toContain('href="mailto:jokes@example.com"')
  expect(pagesIn('plain')).not.toContain('Report a joke')
})

it('no random order is cached, unless it has a seed', () => {
  const run = edgeFunction('TellApart')
  const apart = (query: Record<string, string>, requestId: string) => {
    const querystring = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, { value }]))
    const { headers } = run({ request: { method: 'GET', headers: {}, querystring }, context: { requestId } })
    return headers['x-cache-apart'].value
  }
  expect([apart({ sortBy: 'random' }, '1'), apart({ SORTBY: 'random' }, '2')]).toEqual(['1', '2'])
  expect(apart({ sortBy: 'random', seed: '' }, '5')).toBe('5')
  for (const query of [{ sortBy: 'thumbsUp' }, { sortBy: 'random', Seed: 'today' }])
    expect(apart(query, '3')).toBe(apart({}, '4'))
})

it('the longest search, and as many ids as a listing accepts, fit in a URL of CloudFront', () => {
  const longest = [{ id: Array(MAX_IDS).fill('x'.repeat(22)).join(',') }, { searchString: '笑'.repeat(200) }]
  for (const query of longest) expect(`/joke?${new URLSearchParams(query)}`.length).toBeLessThan(8_192)
})

describe('the Accept header', () => {
  const formatOf = (accept: string | undefined, method = 'GET') =>
    edgeFunction('TellApart')({
      request: { method, headers: accept === undefined ? {} : { accept: { value: accept } }, querystring: {} },
      context: { requestId: '1' },
    }).headers.accept?.value

  const JSON_PREFERRED = [
    undefined,
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/plain;q=0.5, application/json',
    'text/plain;q=0, */*',
    '',
    'nonsense;q=x,,',
  ]
  const TEXT_PREFERRED = [
    ...['text/plain', 'Text/Plain', 'text/*', 'text/plain, application/json', 'text/plain, */*'],
    'text/plain, application/json;q=0.5',
    'application/json;charset=utf-8;q=0.5, text/plain;format=flowed;q=0.6',
    'text/plain, application/*;q=0.1',
    'text/plain; charset=utf-8, */*;q=0.1',
    'application/json;q=0, */*',
  ]
  it.each([
    ...JSON_PREFERRED.map((accept) => [accept, 'application/json']),
    ...TEXT_PREFERRED.map((accept) => [accept, 'text/plain']),
  ])('%j becomes %s, so the cache keeps a listing at most twice', (accept, format) => {
    expect(formatOf(accept)).toBe(format)
    // Without CloudFront, the service chooses the same format.
    const event = Object({ headers: accept === undefined ? {} : { accept } })
    const { headers } = respondPage(event, parseListing({}), [])
    expect(headers['content-type']).toMatch(new RegExp(`^${format}`))
  })

  it('is unchanged when a joke is added', () => {
    expect(formatOf('application/vnd.json', 'POST')).toBe('application/vnd.json')
  })
})

it('a domain of your own uses its certificate, and TLS 1.2 or later', () => {
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/a1b2'
  const own = readable(templateFor('own', { domainName: 'jokes.example.com', certificateArn }))
  expect(own.resources.Distribution.Properties.DistributionConfig).toEqual({
    ...config,
    Aliases: ['jokes.example.com'],
    ViewerCertificate: {
      AcmCertificateArn: certificateArn,
      MinimumProtocolVersion: 'TLSv1.2_2021',
      SslSupportMethod: 'sni-only',
    },
  })
  expect(own.outputs.PageUrl.Value).toBe('https://jokes.example.com/')
  expect(pagesIn('own')).toContain('content="https://jokes.example.com/card.png"')
  expect(pagesIn('plain')).toMatch(/content="https:\/\/<<marker:.*>>\/card\.png"/)
})

function templateFor(folder: string, settings: Record<string, string> = {}): Template {
  const app = new App({
    outdir: join(outdir, folder),
    context: { ...cdk.context, stages: { prod: settings } },
    builtinCloudFormationValidation: false,
  })
  const props = { settings: readSettings(app.node), serviceRegion: 'eu-west-1', site }
  return Template.fromStack(new JokePage(app, 'JokePage', props))
}

/** The HTML of the page in the assets of a synthesis. */
function pagesIn(folder: string): string {
  return globSync(join(outdir, folder, 'asset.*/index.html'))
    .map((file) => readFileSync(file, 'utf8'))
    .join()
}

/** The handler of a CloudFront function. */
function edgeFunction(id: string) {
  return runInNewContext(`${resources[id].Properties.FunctionCode}; handler`)
}

function visibility(MetricName: string) {
  return { MetricName, CloudWatchMetricsEnabled: true, SampledRequestsEnabled: true }
}

function rate(Priority: number, Name: string, limit: object) {
  const Statement = { RateBasedStatement: { AggregateKeyType: 'IP', ...limit } }
  return { Name, Priority, Action: { Block: BLOCK }, Statement, VisibilityConfig: visibility(Name) }
}

function managed(Priority: number, Name: string, counted: string[]) {
  const RuleActionOverrides = counted.map((rule) => ({ Name: rule, ActionToUse: { Count: {} } }))
  const Statement = { ManagedRuleGroupStatement: { VendorName: 'AWS', Name, RuleActionOverrides } }
  return { Name, Priority, OverrideAction: { None: {} }, Statement, VisibilityConfig: visibility(Name) }
}
