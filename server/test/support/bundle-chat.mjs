// Starts the bundle in the folder of the first argument, sends one chat of the demo and stops the server. Runs under the bundle's own Node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const START_MS = 240_000
const [bundle = ''] = process.argv.slice(2)
// No npm and no Node of the system: the launcher needs a shell with readlink and dirname only.
const env = { PATH: process.env.PATH ?? '', PORT: '0', GATEHOUSE_DATA: 'data' }
const server = spawn(join(bundle, 'bin/gatehouse'), ['serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
const timer = setTimeout(() => server.kill('SIGKILL'), START_MS)
let text = ''
for await (const chunk of server.stderr) {
  text += String(chunk)
  if (/Gatehouse is running at \S+\n[\s\S]*API/.test(text)) break
}
const base = /running at (\S+)/.exec(text)?.[1]
if (base === undefined) throw new Error(`the server ended: ${text}`)
const { applications } = JSON.parse(readFileSync('data/demo.json', 'utf8'))
const response = await fetch(`${base}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${applications[0].api_key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'demo-mini', messages: [{ role: 'user', content: 'hello' }] }),
})
console.log(`answer: ${await response.text()}`)
const page = await fetch(`${base}/dashboard/`)
if (response.status !== 200 || page.status !== 200) throw new Error(`chat ${response.status}, dashboard ${page.status}`)
server.kill('SIGTERM')
const [code] = await once(server, 'exit')
clearTimeout(timer)
process.exitCode = code ?? 1
