import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { startLoopback } from './loopback.ts'

const IDENTITY = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false']

/** A repository `wiki.git` in the folder, which Git's own server program serves over HTTP to clients with this token. */
export async function startGitServer(folder: string, token: string) {
  const tree = join(folder, 'wiki.git')
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: tree, encoding: 'utf8', stdio: 'pipe' })
  mkdirSync(tree)
  git('init', '--quiet', '--initial-branch=main')
  const requests: string[] = []
  const server = await startLoopback(async (request, response, body) => {
    requests.push(`${request.method} ${request.url}`)
    const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
    if (request.headers.authorization === expected) await runBackend(folder, request, response, body)
    else response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
  })
  return {
    ...server,
    url: `${server.url}/wiki.git`,
    git,
    requests,
    put: (path: string, content: string | Uint8Array): void => {
      mkdirSync(dirname(join(tree, path)), { recursive: true })
      writeFileSync(join(tree, path), content)
    },
    remove: (path: string): void => rmSync(join(tree, path), { recursive: true }),
    commit: (): void => {
      git('add', '--all')
      git('commit', '--quiet', '--allow-empty', '-m', 'change')
    },
  }
}

/** One request of the CGI program `git http-backend`. */
async function runBackend(root: string, request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
  const { pathname, search } = new URL(`http://localhost${request.url}`)
  const env = {
    ...process.env,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: pathname.replace('/wiki.git', '/wiki.git/.git'),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    CONTENT_LENGTH: String(body.length),
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
  }
  const backend = spawn('git', ['http-backend'], { env })
  backend.stdin.end(body)
  const output = Buffer.concat(await backend.stdout.toArray())
  const end = output.indexOf('\r\n\r\n')
  const headers = output
    .subarray(0, end)
    .toString()
    .split('\r\n')
    .map((line) => line.split(/: (.*)/s, 2) as [string, string])
  const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200'
  response.writeHead(Number.parseInt(status, 10), headers.flat()).end(output.subarray(end + 4))
}
