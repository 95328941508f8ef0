import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { startLoopback } from './loopback.ts'

/** The access key of the bucket. */
export const BUCKET_KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG', region: 'eu-central-1' }

/** A bucket with the S3 API, which checks the signature of each request. */
export async function startBucket() {
  const state = {
    objects: new Map<string, string>(),
    reads: [] as string[],
    pageSize: 2,
    status: 200,
    beforeRead: async (_key: string): Promise<void> => {},
  }
  const etag = (content: string) => `"${createHash('md5').update(content).digest('hex')}"`
  const list = (query: URLSearchParams): string => {
    const keys = [...state.objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
    const from = Number(query.get('continuation-token') ?? 0)
    const contents = keys
      .slice(from, from + state.pageSize)
      .map(
        (key) => `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>${etag(state.objects.get(key) ?? '')}</ETag></Contents>`,
      )
    const next = from + state.pageSize
    const end = next < keys.length ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>` : ''
    return `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>${contents.join('')}${end}</ListBucketResult>`
  }
  const server = await startLoopback(async ({ url = '', headers, method = '' }, response) => {
    const { authorization, 'x-amz-date': datetime, 'x-amz-content-sha256': hash } = headers
    const signed = await new AwsV4Signer({
      ...{ ...BUCKET_KEYS, method, url: server.url + url, service: 's3', datetime: String(datetime) },
      headers: { 'x-amz-content-sha256': String(hash) },
    }).sign()
    const { pathname, searchParams } = new URL(server.url + url)
    const key = decodeURIComponent(pathname.replace(/^\/bucket\/?/, ''))
    const content = state.objects.get(key)
    if (signed.headers.get('authorization') !== authorization) response.writeHead(403).end()
    else if (state.status !== 200) response.writeHead(state.status, { location: 'https://elsewhere.example' }).end()
    else if (searchParams.get('list-type') === '2') response.end(list(searchParams))
    else if (content === undefined) response.writeHead(404).end()
    else {
      state.reads.push(key)
      await state.beforeRead(key)
      response.end(content)
    }
  })
  return { ...server, url: `${server.url}/bucket`, state }
}
