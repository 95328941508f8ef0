import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type APIRequestContext, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from '../e2e/support/chromium.ts'
import { readFeatures } from '../e2e/support/features.ts'

/**
 * `npm run screens -- --url http://127.0.0.1:8787 --data data --out screens [/audit …]`: pictures of every page of the dashboard, or of
 * the given ones, at three widths in light and dark colors, as the owner of a running server with the demo. To judge the whole by eye.
 * With `--documents`: the pictures of docs/images that show the demo's history, or those with the given names.
 */
const WIDTHS = [1440, 1280, 380]
const IMAGES = join(import.meta.dirname, '../../docs/images')
const IMAGE_WIDTH = 1280
/** The buttons of a decision are disabled for a second, and charts are loaded after the page. */
const SETTLED_MS = 5_000
/** Placeholders are on a page until its data are loaded. */
const LOADED_MS = 60_000
/** Pages in docs/images, by the name of the picture. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  applications: '/applications',
  audit: '/audit',
  'audit-record': '/audit/$id',
  budgets: '/budgets',
  home: '/',
  knowledge: '/knowledge',
  memory: '/memory',
  operators: '/settings/operators',
  policies: '/policies',
  providers: '/providers',
  reviews: '/reviews/$id',
  usage: '/usage?period=30d',
}
const HEIGHT = 800
const SCHEMES = ['light', 'dark'] as const

/** The list of the admin API whose first item a page with an id shows. */
const LISTS: Readonly<Record<string, string>> = {
  '/applications/$id': '/applications',
  '/audit/$id': '/audit?endpoint=chat',
  '/budgets/$id': '/budgets',
  '/conversations/$id': '',
  '/knowledge/$id': '/collections',
  '/knowledge/documents/$id': '/documents',
  '/policies/$id': '/policy-sets',
  '/policies/drafts/$id': '/policy-drafts',
  '/providers/$id': '/providers',
  '/reviews/$id': '/reviews?state=pending&rule=payments-need-approval',
  '/settings/users/$id': '/users',
  '/settings/webhooks/$id': '/webhooks',
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8787' },
    data: { type: 'string', default: 'data' },
    out: { type: 'string', default: 'screens' },
    documents: { type: 'boolean', default: false },
  },
})
if (CHROMIUM === undefined) throw new Error('Chromium not found. Install it or set CHROMIUM to its path.')
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
})
const context = await browser.newContext({ baseURL: values.url, reducedMotion: 'reduce', locale: 'en-GB' })
const page = await context.newPage()
await signIn(page.request)
if (values.documents) await takeImages(page)
else await takeAll(page)
await browser.close()

async function takeImages(page: Page): Promise<void> {
  for (const [name, documented] of Object.entries(DOCUMENTED)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const path = await resolvePath(page.request, documented)
    if (path !== undefined)
      await takeScreens(page, path, [IMAGE_WIDTH], (_width, scheme) => join(IMAGES, `${name}-${scheme}.png`))
  }
}

async function takeAll(page: Page): Promise<void> {
  mkdirSync(values.out, { recursive: true })
  for (const path of positionals.length > 0 ? positionals : await allPaths(page.request)) {
    const name = nameOf(path)
    await takeScreens(page, path, WIDTHS, (width, scheme) => join(values.out, `${name}-${width}-${scheme}.png`))
  }
}

async function signIn(request: APIRequestContext): Promise<void> {
  const { email, password } = JSON.parse(readFileSync(join(values.data, 'demo.json'), 'utf8')).dashboard
  const response = await request.post('/auth/sign-in/email', { headers: { origin: values.url }, data: { email, password } })
  if (!response.ok()) throw new Error(`The owner of the demo could not sign in: ${await response.text()}`)
}

/** Paths of all pages that need a session. A page with an id is left out, with a message, when its list is empty. */
async function allPaths(request: APIRequestContext): Promise<string[]> {
  const pages = (await readFeatures()).flatMap((feature) => feature.pages).filter((one) => !one.public)
  const paths = await Promise.all(pages.map(({ path }) => resolvePath(request, path)))
  return paths.filter((path) => path !== undefined)
}

async function resolvePath(request: APIRequestContext, path: string): Promise<string | undefined> {
  if (!path.includes('$')) return path
  const list = LISTS[path]
  if (list === '') return undefined
  if (list === undefined) throw new Error(`Name the list of ${path} in LISTS.`)
  const response = await request.get(`/admin/v1${list}`)
  const { data = [] } = (await response.json()) as { data?: { id: string }[] }
  if (data[0] === undefined) console.warn(`${path}: ${list} is empty`)
  return data[0] && path.replace('$id', data[0].id)
}

const nameOf = (path: string): string =>
  path
    .replaceAll(/[a-z]+_[0-9a-z]{26}/g, 'id')
    .replaceAll(/[^a-z0-9]+/gi, '-')
    .replace(/^-/, '') || 'home'

async function takeScreens(
  page: Page,
  path: string,
  widths: readonly number[],
  fileOf: (width: number, colorScheme: string) => string,
): Promise<void> {
  await page.goto(`/dashboard${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached', timeout: LOADED_MS })
  await page.waitForTimeout(SETTLED_MS)
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
      // Pages with an event stream are never idle.
      await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => {})
      await page.screenshot({ path: fileOf(width, colorScheme), animations: 'disabled' })
    }
  }
}
