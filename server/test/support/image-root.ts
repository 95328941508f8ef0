import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../bench/support/free-port.ts'

const ROOT_FS = join(import.meta.dirname, '../../../deploy/image/root-fs.sh')
const ENVIRONMENT = ['/usr/bin/env', '-i', 'PATH=/usr/bin', 'HOST=127.0.0.1', 'GATEHOUSE_DATA=/data']

/** Whether this machine can make the image's file system and start it: it needs root and Debian. */
export const canMakeImage = process.getuid?.() === 0 && existsSync('/etc/debian_version') && process.arch === 'x64'

export const makeImageRoot = (folder: string, bundle: string): void =>
  void execFileSync(ROOT_FS, [folder, bundle], { stdio: 'pipe' })

/** Bytes of the file system as a layer of an image. */
export const layerBytes = (folder: string): number =>
  Number(execFileSync('sh', ['-c', 'tar c -C "$0" . | wc -c', folder], { encoding: 'utf8' }))

/** Starts the image's server as its user, inside its file system alone. */
export async function startImage(folder: string) {
  const inside = ['--userspec=65532:65532', folder]
  const [port, healthPort] = [await freePort(), await freePort()]
  const variables = [`PORT=${port}`, `GATEHOUSE_HEALTH_PORT=${healthPort}`]
  const child = spawn('chroot', [...inside, ...ENVIRONMENT, ...variables, 'gatehouse', 'serve'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'exit') as Promise<[number | null]>
  return {
    output: () => output,
    /** The response that the image's own client gets from the health port. */
    ask: (path: string): string =>
      spawnSync('chroot', [...inside, '/usr/bin/wget', '-q', '-O', '-', `http://127.0.0.1:${healthPort}${path}`], {
        encoding: 'utf8',
      }).stdout,
    stop: async (): Promise<number | null> => {
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}
