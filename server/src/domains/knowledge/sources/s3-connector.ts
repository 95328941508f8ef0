import { AwsV4Signer } from 'aws4fetch'
import { FetchError, MAX_FILE_BYTES } from '../document-fetcher.ts'
import { childOf, childrenOf, parseXml, type XmlElement } from '../parsing/formats/xml.ts'
import { isRead, type KnowledgeSource } from '../source.ts'
import { type Connector, MOST_FILES, type SourceFile, TOO_LARGE, TOO_MANY_FILES } from './connector.ts'
import type { SourceHttp } from './source-http.ts'

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
/** A page has up to 1,000 keys of 1,024 bytes, escaped. */
const MAX_PAGE_BYTES = 16 * 1_048_576

interface Bucket extends Pick<KnowledgeSource, 'url' | 'folder' | 'region' | 'username'> {
  readonly secret: string | null
}

/**
 * Objects of a bucket with the S3 API: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html. Their ETag is the version.
 * `url`: of the bucket. Requests are signed, unless the source has no secret: the bucket is public then.
 */
export function s3Connector(bucket: Bucket, http: SourceHttp, signal: AbortSignal): Connector {
  const get = async (url: string, maxBytes: number): Promise<Buffer> => {
    const headers = await signedHeaders(bucket, url)
    return (await http.send({ method: 'GET', url: new URL(url), headers, maxBytes, signal })).body
  }
  const list = async (): Promise<SourceFile[]> => {
    const files: SourceFile[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const query: URLSearchParams = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix: bucket.folder })
      if (token !== '') query.set('continuation-token', token)
      const page = readPage(await get(`${bucket.url}?${query}`, MAX_PAGE_BYTES))
      files.push(...page.files.flatMap(({ path: key, version }) => fileBelow(bucket.folder, key, version)))
      if (files.length > MOST_FILES) throw new FetchError('too_large', TOO_MANY_FILES)
      token = page.next
    }
    return files
  }
  return {
    list: async () => ({
      files: await list(),
      cursor: null,
      read: ({ path }) =>
        get(`${bucket.url}/${escapedPath(bucket.folder + path)}`, MAX_FILE_BYTES).catch((error: unknown) => {
          if (error instanceof FetchError && error.code === 'too_large') return TOO_LARGE
          throw error
        }),
    }),
    close: async () => {},
  }
}

const fileBelow = (folder: string, key: string, version: string): SourceFile[] => {
  const path = key.slice(folder.length)
  return key.startsWith(folder) && isRead(path) ? [{ path, version }] : []
}

const escapedPath = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

async function signedHeaders({ region, username, secret }: Bucket, url: string): Promise<Record<string, string>> {
  if (secret === null) return {}
  const headers = { 'x-amz-content-sha256': EMPTY_SHA256 }
  const keys = { accessKeyId: username ?? '', secretAccessKey: secret, region: region ?? 'us-east-1', service: 's3' }
  return Object.fromEntries((await new AwsV4Signer({ method: 'GET', url, headers, ...keys }).sign()).headers)
}

/** The files of a page, with keys as paths. `next`: token of the next page. */
function readPage(xml: Buffer): { readonly files: readonly SourceFile[]; readonly next: string | undefined } {
  const list = parseList(xml)
  const prefix = list.name.slice(0, -'ListBucketResult'.length)
  const textOf = (element: XmlElement, name: string): string => childOf(element, prefix + name)?.children.join('') ?? ''
  const isUrlEncoded = textOf(list, 'EncodingType') === 'url'
  const files = childrenOf(list, `${prefix}Contents`).map((object) => {
    const key = textOf(object, 'Key')
    return { path: isUrlEncoded ? decodedKey(key) : key, version: textOf(object, 'ETag') }
  })
  if (files.some(({ path, version }) => path === '' || version === '')) throw malformed()
  const next = textOf(list, 'NextContinuationToken')
  return { files, next: textOf(list, 'IsTruncated') === 'true' && next !== '' ? next : undefined }
}

function parseList(xml: Buffer): XmlElement {
  const list = parsed(() => parseXml(xml.toString()))
  if (!/(^|:)ListBucketResult$/.test(list.name)) throw malformed()
  return list
}

/** Form encoding: a space is `+`. */
const decodedKey = (key: string): string => parsed(() => decodeURIComponent(key.replaceAll('+', ' ')))

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw malformed(cause)
  }
}

const malformed = (cause?: unknown): FetchError =>
  new FetchError(
    'not_fetched',
    'The response is not a list of objects. Check that the URL is that of a bucket with the S3 API.',
    cause,
  )
