import { Alert, Code, Group, Tabs, Text } from '@mantine/core'
import { CLIENT_SNIPPETS, type ClientSnippet } from '../../../../server/src/domain/client-snippets.ts'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Section } from '../../ui/section.tsx'
import type { Application } from './applications-page.tsx'

/** How to connect a client to the Application: code to copy for each client. */
export function ConnectSection({ application }: { readonly application: Application }) {
  return (
    <Section title="Connect a client">
      <Text size="sm">
        Set the environment variable <Code>GATEHOUSE_KEY</Code> to a key of this Application.
      </Text>
      <Tabs defaultValue={CLIENT_SNIPPETS[0]?.name ?? ''} keepMounted={false}>
        <Tabs.List mb="sm">
          {CLIENT_SNIPPETS.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {CLIENT_SNIPPETS.map((client) => (
          <Tabs.Panel key={client.name} value={client.name}>
            <Snippet client={client} application={application} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  )
}

/** A model that the Application may use. */
function useModel({ default_model, models }: Application): string {
  const enabled = useScopes().hasScope('providers:read') && default_model === null && models === null
  const { items = [] } = useAll('/admin/v1/models', {}, { enabled })
  return default_model ?? models?.find((name) => !name.includes('*')) ?? items[0]?.id ?? 'MODEL'
}

function Snippet({ client, application }: { readonly client: ClientSnippet; readonly application: Application }) {
  const code = client.code({ base: window.location.origin, model: useModel(application) })
  const missing = client.needs.filter((name) => !(application.settings.extensions as readonly string[]).includes(name))
  return (
    <>
      {missing.length > 0 && (
        <Alert color="yellow" variant="light" mb="sm">
          {client.name} also needs these extensions of the Application: {missing.join(', ')}. Enable them under Settings.
        </Alert>
      )}
      <Group align="flex-start" wrap="nowrap" gap={4}>
        <Code block tabIndex={0} aria-label={`Code for ${client.name}`} style={{ flex: 1, minWidth: 0, overflowX: 'auto' }}>
          {code}
        </Code>
        <CopyButton value={code} label={`code for ${client.name}`} />
      </Group>
    </>
  )
}
