import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SITE = join(ROOT, 'site/dist')
const HTML = { accept: 'text/html' }

execFileSync(process.execPath, [join(ROOT, 'scripts/build-site.mjs')], { stdio: 'pipe' })
const server = await closeAfterAll(startServer())

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.base + path, { headers, redirect: 'manual' })

test('documents: the home page, a deep page and the search index are served', async () => {
  const pages = [await get('/docs/'), await get('/docs/guides/deploy'), await get('/docs/contract/')]
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
  const [index = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: SITE })
  const response = await get(`/docs/${index}`)
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(await response.text()).toContain('Troubleshooting by error code')
})

test('documents: an unknown page is 404, as a page for browsers and as an error for programs', async () => {
  const page = await get('/docs/none', HTML)
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect((await (await get('/docs/none')).json()) as unknown).toMatchObject({ error: { code: 'NOT_FOUND' } })
  for (const path of ['/docs/script-hashes.json', '/docs/..%2f..%2fpackage', '/docs/assets/..%2f..%2f..%2fpackage.json'])
    expect([path, (await get(path)).status]).toEqual([path, 404])
})

test('documents: the content security policy allows every inline script and no inline style', async () => {
  const { headers } = await get('/docs/')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  expect(policy.match(/'sha256-[\w+/=]+'/g)?.length).toBeGreaterThan(0)
  const pages = globSync('**/*.html', { cwd: SITE }).filter((name) => / style="/.test(readFileSync(join(SITE, name), 'utf8')))
  expect(pages).toEqual([])
})

test('documents: old addresses redirect', async () => {
  const moved = ['/docs', '/docs/errors.html', '/docs/api', '/docs/guides/messaging', '/llms.txt']
  const locations = await Promise.all(moved.map(async (path) => (await get(path)).headers.get('location')))
  expect(locations).toEqual(['/docs/', '/docs/errors', '/docs/api/', '/docs/build/conversations', '/docs/llms.txt'])
})

test('documents: each page is also Markdown, examples are served, and llms.txt lists pages that exist', async () => {
  const markdown = await get('/docs/build/chat.md')
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(await markdown.text()).toBe(readFileSync(join(ROOT, 'docs/build/chat.md'), 'utf8'))
  expect(await (await get('/docs/changelog.md')).text()).toContain('## ')
  const example = await get('/docs/examples/policies/demo.yaml')
  expect(example.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await example.text()).toBe(readFileSync(join(ROOT, 'examples/policies/demo.yaml'), 'utf8'))
  expect(readFileSync(join(SITE, 'policies.html'), 'utf8')).toContain('href="/docs/examples/policies/demo.yaml"')
  const list = await (await get('/docs/llms.txt')).text()
  expect(list).toMatch(/^# Gatehouse\n\n> /)
  const links = [...list.matchAll(/\]\(\/docs\/(.*?)\)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(60)
  expect(links.filter((path) => !existsSync(join(SITE, path)))).toEqual([])
  expect(list).toContain('- [Chat](/docs/build/chat.md): A chat completion answers')
})

test('API reference: has every operation with an example request and response, and never repeats the Host header', async () => {
  const { paths } = (await (await get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId?: string }>>
  }
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ operationId }) => operationId ?? []))
  const pages = globSync('api/*.html', { cwd: SITE }).map((name) => readFileSync(join(SITE, name), 'utf8'))
  expect(ids.filter((id) => !pages.some((html) => html.includes(`id="${id}"`)))).toEqual([])
  const sections = pages.flatMap((html) => html.split('<h2 ').slice(1)).filter((section) => section.includes('Credential: '))
  expect(sections.length).toBeGreaterThanOrEqual(ids.length)
  expect(sections.filter((section) => !section.includes('Example request'))).toEqual([])
  const { hostname, port } = new URL(server.base)
  const page = await new Promise<string>((resolve, reject) => {
    const request = httpRequest({ hostname, port, path: '/docs/api/', headers: { host: 'evil.example' } }, (response) => {
      let body = JSON.stringify(response.headers)
      response
        .setEncoding('utf8')
        .on('data', (text) => (body += text))
        .on('end', () => resolve(body))
    })
    request.on('error', reject).end()
  })
  expect(page).toContain('API reference')
  expect(page).not.toContain('evil.example')
})

/** A browser first loads the page, and the scripts, styles and fonts that it names. */
test('API reference: the first load of each page has at most 1.5 MB', () => {
  const sizes = globSync('api/*.html', { cwd: SITE }).map((name) => {
    const html = readFileSync(join(SITE, name), 'utf8')
    const files = [...html.matchAll(/(?:href|src)="\/docs\/([^"]+\.(?:js|css|woff2))"/g)].map(([, file = '']) => file)
    const bytes = [...new Set(files)].reduce((sum, file) => sum + statSync(join(SITE, file)).size, html.length)
    return [name, bytes] as const
  })
  expect(sizes.length).toBeGreaterThan(20)
  expect(sizes.filter(([, bytes]) => bytes > 1_500_000)).toEqual([])
})

test('documents: links between documents stay links in the built site', () => {
  const start = readFileSync(join(SITE, 'index.html'), 'utf8')
  const links = [...start.matchAll(/<td><a href="([^"]+)"/g)].map(([, href]) => href)
  expect(links).toEqual(expect.arrayContaining(['/docs/start/quick-start', '/docs/build/', '/docs/build/first-assistant']))
})

test('documents: every link of the built site leads to a page and a heading', () => {
  const pages = new Map(
    globSync('**/*.html', { cwd: SITE }).map((name) => [addressOf(name), readFileSync(join(SITE, name), 'utf8')]),
  )
  const files = new Set(globSync('**/*.{md,yaml,ts}', { cwd: SITE }).map((name) => `/docs/${name}`))
  const broken = [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, href = '']) => {
      const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://site${page}`)
      if (origin !== 'http://site' || pathname === '/openapi.json' || files.has(pathname)) return []
      const target = pages.get(pathname)
      const id = decodeURIComponent(hash.slice(1))
      const exists = target !== undefined && (id === '' || target.includes(`id="${id}"`))
      return exists ? [] : [`${page} → ${href}`]
    }),
  )
  expect([...new Set(broken)]).toEqual([])
})

/** The address of a built file: `guides/deploy.html` is /docs/guides/deploy. */
const addressOf = (name: string): string => `/docs/${name.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`
