import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
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
  const moved = ['/docs', '/docs/errors.html', '/docs/js/scalar.js', '/docs/api', '/docs/guides/messaging']
  const locations = await Promise.all(moved.map(async (path) => (await get(path)).headers.get('location')))
  expect(locations).toEqual(['/docs/', '/docs/errors', '/docs/api/js/scalar.js', '/docs/api/', '/docs/build/conversations'])
})

test('documents: every link of the built site leads to a page and a heading', () => {
  const pages = new Map(
    globSync('**/*.html', { cwd: SITE }).map((name) => [addressOf(name), readFileSync(join(SITE, name), 'utf8')]),
  )
  const broken = [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, href = '']) => {
      const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://site${page}`)
      if (origin !== 'http://site' || pathname === '/docs/api/') return []
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
