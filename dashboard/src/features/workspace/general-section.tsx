import { Button, Code, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Copyable, CopyButton } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { useSave, type Workspace } from './current-workspace.ts'

export interface SettingsSectionProps {
  readonly workspace: Workspace
  readonly readOnly: boolean
}

/** Name, id and public key of the Workspace. */
export function GeneralSection({ workspace, readOnly }: SettingsSectionProps) {
  const form = useForm({ initialValues: { name: workspace.name } })
  const { save, saving } = useSave(workspace)
  useFormSync(form, { name: workspace.name })
  return (
    <Section title="General">
      <form
        onSubmit={form.onSubmit(({ name }) =>
          save({ name }, { onSuccess: () => form.resetDirty(), onError: showFormError(form) }),
        )}
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
      <DescriptionList
        items={[
          ['ID', <Copyable key="id" value={workspace.id} label="ID" />],
          ['Created', <Time key="created" at={workspace.created_at} />],
          ['Audit log public key', <PublicKey key="key" pem={workspace.signing_public_key} />],
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
        <CopyButton value={pem} label="public key" />
      </Group>
      <Text size="xs" c="dimmed">
        Use this key to verify audit exports without the server.
      </Text>
    </>
  )
}
