/** The optional stack of the page: CloudFront serves page, API reference and API under one name. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { BlockPublicAccess, Bucket, type BucketProps, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment'
import type { Construct } from 'constructs'
import { SECURITY_HEADERS, type SiteFile } from '../../web/build.ts'
import { CORS, ROUTES } from '../routes.ts'
import { environmentOf, isProduction, isWatched, logOptions, type Settings } from '../settings.ts'
import { EdgeFunction } from './edgeFunction.ts'
import { Firewall } from './firewall.ts'
import { PageMonitoring } from './pageMonitoring.ts'

/** CloudFront accepts firewalls from this region only. */
const PAGE_REGION = 'us-east-1'

const SECURITY_HEADERS_OF_ALL = {
  // Subdomains may belong to others.
  strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: false, override: true },
  contentTypeOptions: { override: true },
}

/** Errors that CloudFront would cache for 10 seconds by default. */
const UNCACHED_ERRORS = [400, 403, 404, 405, 414, 500, 502, 503, 504]

type Site = Map<string, SiteFile>

interface JokePageProps {
  /** The settings of the stage, whose service must be deployed first. */
  settings: Settings
  site: Site
}

export class JokePage extends Stack {
  constructor(scope: Construct, id: string, { settings, site }: JokePageProps) {
    super(scope, id, {
      description: 'A page for people in front of the Joke Service, and the service under the same name.',
      terminationProtection: isProduction(settings),
      env: { ...environmentOf(settings), region: PAGE_REGION },
    })

    const apiHost = new CfnParameter(this, 'ApiHost', {
      description: "The output ApiHost of the service's stack",
      allowedPattern: '[a-z0-9.-]+',
    })
    const logs = new PrivateBucket(this, 'Logs', {
      // CloudFront delivers its logs by ACL.
      objectOwnership: ObjectOwnership.OBJECT_WRITER,
      lifecycleRules: [{ expiration: Duration.days(90) }],
      // Logs are evidence, like those of the functions.
      ...(isProduction(settings) && { removalPolicy: RemovalPolicy.RETAIN, autoDeleteObjects: false }),
    })
    const files = new PrivateBucket(this, 'Files')
    const firewall = new Firewall(this, 'Firewall')
    const edgeFunction = new EdgeFunction(this, 'FindDocs')
    const distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: 'Joke Service: page, API reference and API',
      defaultRootObject: 'index.html',
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      // The firewall counts requests per IP address, and an IPv6 network may have any number of them.
      enableIpv6: false,
      webAclId: firewall.attrArn,
      ...this.domain(settings),
      enableLogging: true,
      logBucket: logs,
      logFilePrefix: 'requests/',
      errorResponses: UNCACHED_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      defaultBehavior: this.fileBehavior(files, edgeFunction),
      additionalBehaviors: this.apiBehaviors(apiHost.valueAsString),
    })
    if (isWatched(settings)) {
      const { alarms } = new PageMonitoring(this, 'Monitoring', distribution, firewall, edgeFunction, settings)
      new CfnOutput(this, 'AlarmTopic', { value: alarms.topic.topicArn })
    }
    new CfnOutput(this, 'LogsBucket', { value: logs.bucketName })

    const url = `https://${settings.domainName ?? distribution.distributionDomainName}/`
    this.upload({ site, settings }, url, files, distribution)
    new CfnOutput(this, 'PageUrl', { value: url })
    new CfnOutput(this, 'DistributionHost', { value: distribution.distributionDomainName })
  }

  private domain({ domainName, certificateArn }: Settings) {
    if (domainName === undefined || certificateArn === undefined) return {}
    return {
      domainNames: [domainName],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
    }
  }

  private fileBehavior(files: PrivateBucket, edgeFunction: EdgeFunction): cloudfront.BehaviorOptions {
    const { 'content-security-policy': contentSecurityPolicy } = SECURITY_HEADERS
    return {
      origin: S3BucketOrigin.withOriginAccessControl(files),
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      responseHeadersPolicy: new cloudfront.ResponseHeadersPolicy(this, 'FileHeaders', {
        securityHeadersBehavior: {
          ...SECURITY_HEADERS_OF_ALL,
          frameOptions: { frameOption: cloudfront.HeadersFrameOption.DENY, override: true },
          referrerPolicy: { referrerPolicy: cloudfront.HeadersReferrerPolicy.SAME_ORIGIN, override: true },
          contentSecurityPolicy: { contentSecurityPolicy, override: true },
        },
      }),
      functionAssociations: [{ eventType: cloudfront.FunctionEventType.VIEWER_REQUEST, function: edgeFunction }],
    }
  }

  private apiBehaviors(apiHost: string): Record<string, cloudfront.BehaviorOptions> {
    const behavior = {
      origin: new HttpOrigin(apiHost),
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: new cloudfront.ResponseHeadersPolicy(this, 'ApiHeaders', {
        // API Gateway sends these headers to other origins only, but a cached response goes to all.
        corsBehavior: {
          accessControlAllowOrigins: [...CORS.allowOrigins],
          accessControlAllowMethods: [...CORS.allowMethods],
          accessControlAllowHeaders: [...CORS.allowHeaders],
          accessControlExposeHeaders: [...CORS.exposeHeaders],
          accessControlMaxAge: Duration.seconds(CORS.maxAgeSeconds),
          accessControlAllowCredentials: false,
          originOverride: true,
        },
        securityHeadersBehavior: SECURITY_HEADERS_OF_ALL,
      }),
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
    }
    // The service's Cache-Control decides. CloudFront never caches responses to POST.
    const listings = new cloudfront.CachePolicy(this, 'Listings', {
      comment: 'Caches listings for seconds, by query and format',
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.seconds(5),
      queryStringBehavior: cloudfront.CacheQueryStringBehavior.all(),
      headerBehavior: cloudfront.CacheHeaderBehavior.allowList('accept'),
      enableAcceptEncodingBrotli: true,
      enableAcceptEncodingGzip: true,
    })
    const cached = { ...behavior, cachePolicy: listings }
    const uncached = { ...behavior, cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED }
    const routes = Map.groupBy(Object.values(ROUTES), ({ path }) => path.replace(/\{\w+\}/, '*'))
    const isListing = (methods: { method: string }[]) => methods.some(({ method }) => method === 'GET')
    return Object.fromEntries(Array.from(routes, ([path, methods]) => [path, isListing(methods) ? cached : uncached]))
  }

  private upload(
    { site, settings }: JokePageProps,
    url: string,
    files: PrivateBucket,
    distribution: cloudfront.Distribution,
  ): void {
    const folder = writeFiles(site)
    // Link previews need the absolute URL of the picture.
    const page = String(site.get('/')?.body).replace('content="/card.png"', `content="${url}card.png"`)
    new BucketDeployment(this, 'Upload', {
      sources: [Source.asset(folder), Source.data('index.html', page)],
      destinationBucket: files,
      // Browsers revalidate each file, so they never mix files of different versions.
      cacheControl: [CacheControl.noCache()],
      distribution,
      // Waiting sometimes takes so long that the deploy fails.
      waitForDistributionInvalidation: false,
      // By default, the log would stay for two years after its stack.
      logGroup: new LogGroup(this, 'UploadLog', logOptions(settings)),
    })
    // The CDK has copied the files.
    rmSync(folder, { recursive: true })
  }
}

/** Writes files to a temporary folder for the upload. Each page becomes the `index.html` of its own folder. */
function writeFiles(site: Site): string {
  const folder = mkdtempSync(join(tmpdir(), 'joke-page-'))
  for (const [path, { body, contentType }] of site) {
    const file = join(folder, contentType.startsWith('text/html') ? `${path}/index.html` : path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
  }
  return folder
}

/** A bucket that is not public. Its content can be created again. */
class PrivateBucket extends Bucket {
  constructor(scope: Construct, id: string, props: BucketProps = {}) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
      ...props,
    })
  }

  // Bucket declares `boolean | undefined`, which IBucket does not accept under `exactOptionalPropertyTypes`.
  override get isWebsite(): boolean {
    return false
  }
}
