import { Button, Code, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
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
  const { t } = useTranslation('workspace')
  const form = useForm({ initialValues: { name: workspace.name } })
  const { save, saving } = useSave(workspace)
  useFormSync(form, { name: workspace.name })
  return (
    <Section title={t('general.title')}>
      <form
        onSubmit={form.onSubmit(({ name }) =>
          save({ name }, { onSuccess: () => form.resetDirty({ name }), onError: showFormError(form) }),
        )}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t('general.name')}
            required
            readOnly={readOnly}
            flex={1}
            miw={200}
            maw={420}
            {...form.getInputProps('name')}
          />
          {!readOnly && (
            <Button type="submit" variant="default" disabled={!form.isDirty()} loading={saving}>
              {t('general.rename')}
            </Button>
          )}
        </Group>
      </form>
      <DescriptionList
        items={[
          [t('general.id'), <Copyable key="id" value={workspace.id} label={t('general.id')} />],
          [t('general.created'), <Time key="created" at={workspace.created_at} />],
          [t('general.publicKey'), <PublicKey key="key" pem={workspace.signing_public_key} />],
        ]}
      />
    </Section>
  )
}

/** One line of the key; the copy has all of it. */
function PublicKey({ pem }: { readonly pem: string }) {
  const { t } = useTranslation('workspace')
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Text span inherit truncate>
          <Code>{pem.replace(/-----[A-Z ]+-----|\s/g, '')}</Code>
        </Text>
        <CopyButton value={pem} label={t('general.copyKey')} />
      </Group>
      <Text size="xs" c="dimmed">
        {t('general.publicKeyHint')}
      </Text>
    </>
  )
}
