import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { canMakeImage, layerBytes, makeImageRoot, startImage } from '../support/image-root.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const NAME = `gatehouse-${VERSION}-${process.platform}-${process.arch}`
const CHAT = join(import.meta.dirname, '../support/bundle-chat.mjs')
const MAX_MB = 80
const MAX_IMAGE_MB = 190

if (!canMakeImage) console.warn('The file system of the image is not tested here: that needs root and Debian.')

/** A network namespace with nothing but its own loopback device. Without the right to make one, the run only lacks npm. */
const NO_NETWORK = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']
const isolated = spawnSync(NO_NETWORK[0] ?? '', [...NO_NETWORK.slice(1), 'true']).status === 0 ? NO_NETWORK : ['env']

describe('bundle for servers without npm', { timeout: 400_000 }, () => {
  const folder = temporaryFolder()
  beforeAll(() => {
    execFileSync('node', ['scripts/release.mjs'], { cwd: ROOT, stdio: 'pipe' })
    execFileSync('tar', ['xzf', join(ROOT, 'release', `${NAME}.tar.gz`), '-C', folder])
  }, 300_000)

  const node = (...args: string[]) =>
    spawnSync(join(folder, NAME, 'node_modules/.bin/node'), args, { cwd: folder, env: {}, encoding: 'utf8' })

  test(`release: the archive takes at most ${MAX_MB} MB`, () => {
    const bytes = Number(execFileSync('stat', ['-c', '%s', join(ROOT, 'release', `${NAME}.tar.gz`)], { encoding: 'utf8' }))
    expect(bytes / 1_000_000).toBeLessThanOrEqual(MAX_MB)
  })

  test('bundle: each file of the server finds its packages', () => {
    const program = `
      const { globSync } = require('node:fs')
      const files = globSync('server/dist/*.mjs', { cwd: process.argv[1] }).filter((file) => !/(main|-worker)\\.mjs$/.test(file))
      Promise.all(files.map((file) => import(process.argv[1] + '/' + file))).then(() => { console.log(files.length); process.exit(0) })`
    const { status, stdout, stderr } = node('--input-type=commonjs', '--eval', program, join(folder, NAME))
    expect(status, stderr).toBe(0)
    expect(Number(stdout)).toBeGreaterThan(150)
  })

  test('bundle: starts with an empty data folder and answers a chat of the demo, without npm and without a network', async () => {
    const [command = '', ...args] = [...isolated, join(folder, NAME, 'node_modules/.bin/node'), CHAT, join(folder, NAME)]
    const child = spawn(command, args, {
      cwd: folder,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code, output).toBe(0)
    expect(output).toMatch(/answer: .*Hello/)
  })

  test.skipIf(!canMakeImage)('image: stays below its size, and starts as its user with nothing but its own files', async () => {
    const root = join(folder, 'image')
    makeImageRoot(root, join(ROOT, 'release', `${NAME}.tar.gz`))
    expect(layerBytes(root) / 1_000_000).toBeLessThanOrEqual(MAX_IMAGE_MB)
    const image = await startImage(root)
    await vi.waitFor(() => expect(image.ask('/readyz'), image.output()).toContain('"status":"ready"'), {
      timeout: 200_000,
      interval: 500,
    })
    expect(image.ask('/healthz')).toBe('{"status":"ok"}')
    expect(await image.stop()).toBe(0)
  })
})
