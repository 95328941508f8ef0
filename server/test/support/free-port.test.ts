import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { platform } from 'node:os'
import { expect, test } from 'vitest'
import { freePort, takePort } from '../../../bench/support/free-port.ts'

const MODULE = new URL('../../../bench/support/free-port.ts', import.meta.url).href

test.skipIf(platform() !== 'linux')('freePort: a port belongs to one process until that ends', async () => {
  const port = await freePort()
  const source = `import { takePort } from '${MODULE}'; console.log(await takePort(${port}), await takePort(${port + 1})); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [output] = await once(child.stdout, 'data')
    expect(String(output).trim()).toBe('false true')
    expect(await takePort(port + 1)).toBe(false)
  } finally {
    child.kill()
    await once(child, 'exit')
  }
  expect(await takePort(port + 1)).toBe(true)
})
