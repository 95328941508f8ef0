import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/platform/config/config.ts'
import { KNOWN_VARIABLES } from '../../src/platform/config/known-variables.ts'
import { stopLimitMs } from '../../src/platform/processes/stop-limits.ts'
import { VERSION } from '../../src/version.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')
const LABEL = { 'app.kubernetes.io/name': 'gatehouse' }
/** Both render without a cluster. */
const RENDERERS = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
] as const
const renderer = RENDERERS.find(([command]) => spawnSync(command, ['--help']).status === 0)
if (!renderer) console.warn('There is neither kubectl nor kustomize here: the manifests are not rendered.')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')

/** Seconds for which a node may take to stop with the default configuration on PostgreSQL. */
function drainSeconds(): number {
  return stopLimitMs(readConfig({ DATABASE_URL: 'postgres://x' }).drain, 'SIGTERM') / 1_000
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  /** Of any kind: the parser leaves it untyped. */
  readonly spec: ReturnType<typeof parse>
}

function render(folder: string): Manifest[] {
  const [command, build] = renderer ?? RENDERERS[0]
  const text = execFileSync(command, [build, join(DEPLOY, 'kubernetes', folder)], { encoding: 'utf8', stdio: 'pipe' })
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest)
}

describe('deploy', () => {
  test('every variable that a manifest sets is one that the server knows, or the file of one', () => {
    const paths = globSync('**/*.{yaml,service,env}', { cwd: DEPLOY })
    const names = new Set(paths.flatMap((path) => read(path).match(/\bGATEHOUSE_[A-Z_]+\b/g) ?? []))
    names.delete('GATEHOUSE_IMAGE')
    expect(paths.length).toBeGreaterThan(10)
    expect(names.size).toBeGreaterThan(5)
    expect(
      [...names].filter((name) => ![name, name.replace(/_FILE$/, '')].some((known) => KNOWN_VARIABLES.includes(known))),
    ).toEqual([])
  })

  test('compose: secrets are files, both root file systems are read-only, and the drain has time', () => {
    const { services, secrets } = parse(read('compose.yaml'))
    const { gatehouse, database } = services
    expect([gatehouse.read_only, database.read_only]).toEqual([true, true])
    expect(gatehouse.image).toContain(`gatehouse:${VERSION}`)
    expect(database.image).toMatch(/^docker\.io\/pgvector\/pgvector:\d+\.\d+\.\d+-pg1[5-9]$/)
    for (const { secrets: used, environment } of [gatehouse, database])
      for (const [name, value] of Object.entries<string>(environment))
        if (name.endsWith('_FILE')) expect(used.map((secret: string) => `/run/secrets/${secret}`)).toContain(value)
    expect(Object.keys(secrets).toSorted()).toEqual([...gatehouse.secrets, ...database.secrets].toSorted())
    expect(Number.parseInt(gatehouse.stop_grace_period, 10)).toBeGreaterThanOrEqual(drainSeconds())
  })

  test('systemd: the service has time to drain and reloads with SIGHUP', () => {
    const unit = read('systemd/gatehouse.service')
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(drainSeconds())
    expect(unit).toContain('ExecReload=/bin/kill -HUP $MAINPID')
    // A reload reads this file again; systemd's own EnvironmentFile= it cannot.
    expect(unit).toContain('Environment=GATEHOUSE_ENV_FILE=/etc/gatehouse/gatehouse.env')
    expect(unit).not.toContain('\nEnvironmentFile=')
  })
  test.skipIf(!hasSystemd)('systemd: the exposure of the service is at most 2.0 of 10', () => {
    const args = ['security', '--offline=yes', '--threshold=20', join(DEPLOY, 'systemd/gatehouse.service')]
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    expect(status, stdout.slice(-200)).toBe(0)
  })

  test('kubernetes: pods run as a restricted user, have time to drain, and are the image of this version', () => {
    const pod = parse(read('kubernetes/base/deployment.yaml')).spec.template.spec
    const [{ securityContext, readinessProbe, livenessProbe, startupProbe }] = pod.containers
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSeconds())
    const probes = [readinessProbe, livenessProbe, startupProbe].map(({ httpGet: { path, port } }) => [path, port])
    expect(probes).toEqual([
      ['/readyz', 'health'],
      ['/healthz', 'health'],
      ['/healthz', 'health'],
    ])
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(parse(read('kubernetes/base/kustomization.yaml')).images).toEqual([{ name: 'gatehouse', newTag: VERSION }])
  })
  /** .ci/run installs kubectl: without it the test fails there. */
  describe.skipIf(!renderer && process.env.CI !== 'true')('kustomize', () => {
    test.each([
      ['base', 2, ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount']],
      [
        'overlays/three-nodes',
        undefined,
        [
          ...['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'],
          ...['ServiceAccount', 'ServiceMonitor'],
        ],
      ],
    ])('kubernetes: %s renders, and each selector finds its pods', (folder, replicas, kinds) => {
      const manifests = render(folder)
      const specOf = (kind: string) => manifests.find((manifest) => manifest.kind === kind)?.spec
      expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds)
      expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['gatehouse']))
      const { template, selector, replicas: count } = specOf('Deployment')
      expect(count).toBe(replicas)
      expect(template.metadata.labels).toEqual(LABEL)
      expect([selector.matchLabels, specOf('Service').selector]).toEqual([LABEL, LABEL])
      expect(specOf('PodDisruptionBudget').selector.matchLabels).toEqual(LABEL)
      expect(specOf('NetworkPolicy').podSelector.matchLabels).toEqual(LABEL)
      const [dns] = specOf('NetworkPolicy').egress
      expect(dns.to[0].podSelector.matchLabels).toEqual({ 'k8s-app': 'kube-dns' })
      const [{ image, envFrom }] = template.spec.containers
      expect(image).toBe(`gatehouse:${VERSION}`)
      const config = manifests.find(({ kind }) => kind === 'ConfigMap')
      expect(envFrom).toEqual([{ configMapRef: { name: config?.metadata.name } }])
    })
  })
})
