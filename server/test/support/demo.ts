import { readFileSync } from 'node:fs'
import { type DemoFile, demoFilePath } from '../../src/tools/demo/demo-file.ts'

export type Demo = DemoFile

export const readDemo = (dataDir: string): Demo => JSON.parse(readFileSync(demoFilePath(dataDir), 'utf8'))
