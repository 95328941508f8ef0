import { Button, Code, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Copyable, CopyButton } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { showInForm } from '../../ui/form-errors.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { useSave, type Workspace } from './current-workspace.ts'

export interface SettingsSectionProps {
  readonly workspace: Workspace
  readonly readOnly: boolean
}

/** Its name, and what it is known by. */
export function GeneralSection({ workspace, readOnly }: SettingsSectionProps) {
  const form = useForm({ initialValues: { name: workspace.name } })
  const { save, saving } = useSave(workspace)
  useEdited(form, { name: workspace.name })
  return (
    <Section title="General">
      <form
        onSubmit={form.onSubmit(({ name }) => save({ name }, { onSuccess: () => form.resetDirty(), onError: showInForm(form) }))}
      >
        <Group align="flex-end" gap="xs">
          <TextInput label="Name" required readOnly={readOnly} flex={1} miw={200} maw={420} {...form.getInputProps('name')} />
          {!readOnly && (
            <Button type="submit" variant="default" disabled={!form.isDirty()} loading={saving}>
              Rename
            </Button>
          )}
        </Group>
      </form>
      <Facts
        facts={[
          ['Id', <Copyable key="id" value={workspace.id} what="the id" />],
          ['Made', <Time key="created" at={workspace.created_at} />],
          ['Signs its audit log with', <PublicKey key="key" pem={workspace.signing_public_key} />],
        ]}
      />
    </Section>
  )
}

function PublicKey({ pem }: { readonly pem: string }) {
  return (
    <>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {pem.trim()}
        </Code>
        <CopyButton value={pem} what="the public key" />
      </Group>
      <Text size="xs" c="dimmed">
        Whoever has this public key can verify an export without asking the server.
      </Text>
    </>
  )
}
