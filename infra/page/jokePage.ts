/** The stack of the page: page, reference and API under one name, kept close to people everywhere. Optional. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CfnOutput, Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function as EdgeFunction,
  type ErrorResponse,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import { BlockPublicAccess, Bucket, type BucketProps, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment'
import type { Construct } from 'constructs'
import { SECURITY_HEADERS, type SiteFile } from '../../web/build.ts'
import { CORS } from '../routes.ts'
import { environmentOf, LINTED, type Settings, stackName } from '../settings.ts'
import { Firewall } from './firewall.ts'
import { PageMonitoring } from './pageMonitoring.ts'

/** CloudFront takes firewalls from this region only. */
const REGION = 'us-east-1'

/** A new joke or upvote shows after this at the latest; a page that everybody opens asks the API once in that time. */
const LISTING_TTL = Duration.seconds(5)

/** So long a browser insists on HTTPS. */
const HSTS_MAX_AGE = Duration.days(365)

const LOGS_KEPT = Duration.days(90)

/** Never cache errors; CloudFront's default is 10 seconds. */
const UNCACHED_ERRORS: ErrorResponse[] = [400, 403, 404, 405, 414, 500, 502, 503, 504].map((httpStatus) => ({
  httpStatus,
  ttl: Duration.seconds(0),
}))

/** Headers that tell apart what must not be answered from the cache. */
const APART = 'x-cache-apart'

export interface JokePageProps {
  /** Those of the service's stage, whose stack must be there already. */
  settings: Settings
  /** Where that is; absent: as the page's. */
  serviceRegion: string | undefined
  site: Map<string, SiteFile>
}

export class JokePage extends Stack {
  constructor(scope: Construct, id: string, { settings, serviceRegion, site }: JokePageProps) {
    super(scope, id, {
      description: 'A page for people in front of the Joke Service, and the service under the same name.',
      env: { ...environmentOf(settings), region: REGION },
    })
    this.templateOptions.metadata = LINTED
    const { domainName, certificateArn } = settings

    const logs = new HouseBucket(this, 'Logs', {
      // CloudFront writes its logs as an owner of objects.
      objectOwnership: ObjectOwnership.OBJECT_WRITER,
      lifecycleRules: [{ expiration: LOGS_KEPT }],
    })
    const files = new HouseBucket(this, 'Files', { serverAccessLogsBucket: logs, serverAccessLogsPrefix: 'files/' })
    const firewall = new Firewall(this, 'Firewall')

    const api = new HttpOrigin(Fn.getStackOutput(stackName(settings), 'ApiHost', serviceRegion))
    const apiBehavior = {
      allowedMethods: AllowedMethods.ALLOW_ALL,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: new ResponseHeadersPolicy(this, 'ApiHeaders', {
        // API Gateway adds these only for callers from other origins, and a cached answer is for all callers.
        corsBehavior: {
          accessControlAllowOrigins: [...CORS.allowOrigins],
          accessControlAllowMethods: [...CORS.allowMethods],
          accessControlAllowHeaders: [...CORS.allowHeaders],
          accessControlExposeHeaders: [...CORS.exposeHeaders],
          accessControlMaxAge: Duration.seconds(CORS.maxAgeSeconds),
          accessControlAllowCredentials: false,
          originOverride: true,
        },
        securityHeadersBehavior: { strictTransportSecurity, contentTypeOptions: { override: true } },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    }
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'Joke Service: page, API reference and API',
      defaultRootObject: 'index.html',
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: firewall.acl.attrArn,
      ...(domainName !== undefined &&
        certificateArn !== undefined && {
          domainNames: [domainName],
          certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
          minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        }),
      enableLogging: true,
      logBucket: logs,
      logFilePrefix: 'requests/',
      errorResponses: UNCACHED_ERRORS,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(files),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        responseHeadersPolicy: new ResponseHeadersPolicy(this, 'FileHeaders', {
          securityHeadersBehavior: {
            strictTransportSecurity,
            contentTypeOptions: { override: true },
            frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
            referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.SAME_ORIGIN, override: true },
            contentSecurityPolicy: {
              contentSecurityPolicy: SECURITY_HEADERS['content-security-policy'],
              override: true,
            },
          },
        }),
        functionAssociations: [atRequest(this, 'FindDocs', FIND_DOCS)],
      },
      additionalBehaviors: {
        '/joke': {
          ...apiBehavior,
          origin: api,
          // POSTs are never cached.
          cachePolicy: new CachePolicy(this, 'Listings', {
            comment: 'Listings, for a moment, by their query and format',
            minTtl: Duration.seconds(0),
            defaultTtl: LISTING_TTL,
            maxTtl: LISTING_TTL,
            queryStringBehavior: CacheQueryStringBehavior.all(),
            headerBehavior: CacheHeaderBehavior.allowList(APART, 'accept'),
            enableAcceptEncodingBrotli: true,
            enableAcceptEncodingGzip: true,
          }),
          functionAssociations: [atRequest(this, 'TellApart', TELL_APART)],
        },
        '/thumbsUp/*': { ...apiBehavior, origin: api, cachePolicy: CachePolicy.CACHING_DISABLED },
      },
    })
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-CFR1', reason: 'Jokes are for everybody, wherever they are.' },
      ...(domainName === undefined
        ? [
            {
              id: 'AwsSolutions::AwsSolutions-CFR4',
              reason:
                "Without a domain of one's own, CloudFront's certificate and with it its TLS settings are all there is.",
            },
          ]
        : []),
    )
    new PageMonitoring(this, 'Monitoring', distribution, firewall, settings)

    const url = `https://${domainName ?? distribution.distributionDomainName}/`
    const folder = writeFiles(site)
    new BucketDeployment(this, 'Upload', {
      destinationBucket: files,
      sources: [Source.asset(folder), Source.data('index.html', withPictureAt(url, site))],
      // Browsers ask each time whether there is a newer one, so that files of different versions never meet.
      cacheControl: [CacheControl.noCache()],
      distribution,
      distributionPaths: ['/*'],
    })
    // By now they are copied to where CDK keeps what it uploads.
    rmSync(folder, { recursive: true })
    acknowledgeUploader(this, this.resolve(files.bucketName).Ref)

    new CfnOutput(this, 'PageUrl', {
      value: url,
      description: 'Address of the page, and of the service',
    })
    new CfnOutput(this, 'DistributionHost', {
      value: distribution.distributionDomainName,
      description: "What a name of one's own must point at",
    })
  }
}

/** The page with an absolute address of its picture, which those who show a preview of a link ask for. */
function withPictureAt(url: string, site: Map<string, SiteFile>): string {
  return String(site.get('/')?.body).replace('content="/card.png"', `content="${url}card.png"`)
}

/** A bucket that nobody but AWS gets at, and whose content can be had again. */
class HouseBucket extends Bucket {
  constructor(scope: Construct, id: string, props: BucketProps) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
      ...props,
    })
  }

  // Narrower than Bucket's own, which is wider than IBucket's.
  override get isWebsite(): boolean {
    return false
  }
}

/** The function that uploads files during a deployment is CDK's, and so are its role, its runtime and its lack of extras. */
function acknowledgeUploader(stack: Stack, bucket: string): void {
  const rules = [
    'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
    ...['GetBucket*', 'GetObject*', 'List*', 'Abort*', 'DeleteObject*'].map(
      (action) => `AwsSolutions::AwsSolutions-IAM5[Action::s3:${action}]`,
    ),
    ...['*', `arn:aws:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-${REGION}/*`, `<${bucket}.Arn>/*`].map(
      (resource) => `AwsSolutions::AwsSolutions-IAM5[Resource::${resource}]`,
    ),
    'AwsSolutions::AwsSolutions-L1',
    'Serverless::Serverless-LambdaDLQ',
    'Serverless::Serverless-LambdaLatestVersion',
    'Serverless::Serverless-LambdaTracing',
  ]
  const reason = "CDK's own function, which runs during a deployment only."
  for (const child of stack.node.children.filter(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment')))
    Validations.of(child).acknowledge(...rules.map((id) => ({ id, reason })))
}

const strictTransportSecurity = {
  accessControlMaxAge: HSTS_MAX_AGE,
  includeSubdomains: true,
  override: true,
}

/** CloudFront asks the bucket for files, and knows no folder's index. */
const FIND_DOCS = `function handler({ request }) {
  if (request.uri === '/docs' || request.uri === '/docs/') request.uri = '/docs/index.html'
  return request
}`

/**
 * Every random sample is another one. The other listings come in two formats, so that what clients accept is reduced to
 * the one that the service would choose; adding a joke knows more, and is not cached.
 */
const TELL_APART = `function handler({ request, context }) {
  const { headers, querystring, method } = request
  const isRandom = Object.entries(querystring).some(
    ([name, { value }]) => name.toLowerCase() === 'sortby' && value === 'random',
  )
  headers['${APART}'] = { value: isRandom ? context.requestId : 'no' }
  if (method === 'GET' || method === 'HEAD') headers.accept = { value: format(headers.accept) }
  return request
}

function format(accept) {
  const ranges = (accept ? accept.value : '*/*').toLowerCase().split(',')
  const rank = (types) => {
    for (const [specificity, type] of types.entries()) {
      const place = ranges.findIndex((range) => range.replace(/;\\s*q=.*/, '').trim() === type)
      const [, quality = 1] = /;\\s*q=([\\d.]+)/.exec(ranges[place]) || []
      if (place >= 0) return [-quality, specificity, place]
    }
    return [0]
  }
  const [text, json] = [['text/plain', 'text/*', '*/*'], ['application/json', 'application/*', '*/*']].map(rank)
  const first = text.map((each, index) => each - json[index]).find((difference) => difference !== 0)
  return text[0] < 0 && first < 0 ? 'text/plain' : 'application/json'
}`

function atRequest(scope: Construct, id: string, code: string) {
  return {
    eventType: FunctionEventType.VIEWER_REQUEST,
    function: new EdgeFunction(scope, id, {
      code: FunctionCode.fromInline(code),
      runtime: FunctionRuntime.JS_2_0,
    }),
  }
}

/** Writes files to a folder to upload, the pages among them as the index of theirs. */
function writeFiles(site: Map<string, SiteFile>): string {
  const folder = mkdtempSync(join(tmpdir(), 'joke-page-'))
  for (const [path, { body, contentType }] of site) {
    const file = join(folder, contentType.startsWith('text/html') ? `${path}/index.html` : path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
  }
  return folder
}
