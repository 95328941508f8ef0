import { Alert, Code, Group, Tabs, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CLIENT_SNIPPETS, type ClientSnippet, codeWithKey } from '../../../../server/src/shared/client-snippets.ts'
import { useAll, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Copyable, CopyButton } from '../../ui/copy.tsx'
import type { Application } from './applications-page.tsx'

/** The address of this server as clients reach it: its public URL, or else the one of this page. */
const useBase = (): string => useRead('/admin/v1/setup').data?.base_url ?? window.location.origin

export function BaseUrl() {
  const { t } = useTranslation('applications')
  const base = useBase()
  return (
    <>
      <Group gap="xs">
        <Text size="sm">{t('connect.baseUrl')}</Text>
        <Copyable value={`${base}/v1`} label={t('connect.baseUrlName')} />
      </Group>
      <Group gap="xs">
        <Text size="sm">{t('connect.anthropicUrl')}</Text>
        <Copyable value={base} label={t('connect.anthropicUrlName')} />
      </Group>
    </>
  )
}

interface ClientSnippetsProps {
  readonly application: Application
  /** A new key, for the code to set. */
  readonly apiKey?: string
}

/** Code to copy for each client. The tabs have numbers, because ids in HTML have no spaces. */
export function ClientSnippets({ application, apiKey }: ClientSnippetsProps) {
  const { t } = useTranslation('applications')
  const base = useBase()
  const model = useModel(application)
  return (
    <Tabs defaultValue="0" keepMounted={false}>
      <Tabs.List mb="sm" aria-label={t('connect.clients')}>
        {CLIENT_SNIPPETS.map(({ name }, index) => (
          <Tabs.Tab key={name} value={String(index)}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {CLIENT_SNIPPETS.map((client, index) => (
        <Tabs.Panel key={client.name} value={String(index)}>
          <Snippet client={client} code={codeWithKey(client, { base, model, key: apiKey })} application={application} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function useModel({ default_model, models }: Application): string {
  const enabled = useScopes().hasScope('providers:read') && default_model === null && models === null
  const { items = [] } = useAll('/admin/v1/models', {}, { enabled })
  return default_model ?? models?.find((name) => !name.includes('*')) ?? items[0]?.id ?? 'MODEL'
}

interface SnippetProps {
  readonly client: ClientSnippet
  readonly code: string
  readonly application: Application
}

function Snippet({ client: { name, needs }, code, application }: SnippetProps) {
  const { t } = useTranslation('applications')
  const missing = needs.filter((extension) => !(application.settings.extensions as readonly string[]).includes(extension))
  return (
    <>
      {missing.length > 0 && (
        <Alert color="yellow" variant="light" mb="sm">
          {t('connect.needs', { client: name, extensions: missing.join(', ') })}
        </Alert>
      )}
      <Group align="flex-start" wrap="nowrap" gap={4}>
        <Code
          block
          tabIndex={0}
          aria-label={t('connect.code', { client: name })}
          style={{ flex: 1, minWidth: 0, overflowX: 'auto' }}
        >
          {code}
        </Code>
        <CopyButton value={code} label={t('connect.codeName', { client: name })} />
      </Group>
    </>
  )
}
