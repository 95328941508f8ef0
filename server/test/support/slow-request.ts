import { request as httpRequest } from 'node:http'

/** Sends a request without the last byte of its JSON body. The returned function sends that byte and resolves with the status. */
export async function startSlowRequest(
  method: string,
  url: string,
  json: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<() => Promise<number>> {
  const body = Buffer.from(JSON.stringify(json))
  const request = httpRequest(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
  })
  const status = new Promise<number>((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
  await new Promise<void>((resolve) => request.write(body.subarray(0, -1), () => resolve()))
  return () => {
    request.end(body.subarray(-1))
    return status
  }
}
