import { Button, Group, JsonInput, SegmentedControl, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { changedFields } from '../../ui/changed-fields.ts'
import { Section } from '../../ui/section.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { useSave } from './current-workspace.ts'
import type { SettingsSectionProps } from './general-section.tsx'
import { showSettingsError } from './settings-errors.ts'
import { bodyOf, CLAIMS, type Values, validateJwks, valuesOf } from './user-token-values.ts'

const SOURCES = [
  { value: 'none', label: 'None' },
  { value: 'url', label: 'From URL' },
  { value: 'keys', label: 'Inline keys' },
]

/** Objects that the API merges field by field. */
const MERGED = ['settings', 'settings.claims']

/** Keys, issuer, audiences and claims of user tokens. */
export function UserTokensSection({ workspace, readOnly }: SettingsSectionProps) {
  const form = useForm<Values>({ initialValues: valuesOf(workspace), validate: { jwks: validateJwks } })
  const { save, saving } = useSave(workspace)
  useFormSync(form, valuesOf(workspace))
  const submit = (values: Values) =>
    save(changedFields(bodyOf(values), bodyOf(valuesOf(workspace)), MERGED), {
      onSuccess: () => form.resetDirty(),
      onError: showSettingsError(form),
    })
  return (
    <Section title="User tokens">
      <Text size="sm" c="dimmed">
        A token signed with one of these keys verifies the user. Other users get the clearance for unverified users of the
        Application.
      </Text>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <KeyFields form={form} readOnly={readOnly} />
          {form.getValues().source !== 'none' && <ClaimFields form={form} readOnly={readOnly} />}
          {!readOnly && (
            <Group>
              <Button type="submit" variant="default" disabled={!form.isDirty()} loading={saving}>
                Save user tokens
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Section>
  )
}

interface FieldsProps {
  readonly form: UseFormReturnType<Values>
  readonly readOnly: boolean
}

function KeyFields({ form, readOnly }: FieldsProps) {
  const { source } = form.getValues()
  return (
    <>
      <SegmentedControl
        aria-label="Signing keys"
        transitionDuration={0}
        readOnly={readOnly}
        data={SOURCES}
        {...form.getInputProps('source')}
      />
      {source === 'url' && <TextInput label="JWKS URL" type="url" required readOnly={readOnly} {...form.getInputProps('jwks')} />}
      {source === 'keys' && (
        <JsonInput
          label="JWKS"
          description="Public keys only"
          autosize
          minRows={4}
          maxRows={16}
          required
          readOnly={readOnly}
          {...form.getInputProps('jwks')}
        />
      )}
    </>
  )
}

function ClaimFields({ form, readOnly }: FieldsProps) {
  const { audience } = form.getValues()
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput label="Issuer" placeholder="Any" readOnly={readOnly} {...form.getInputProps('issuer')} />
      <TagsInput
        label="Audiences"
        placeholder={audience.length > 0 ? '' : 'Any'}
        acceptValueOnBlur
        readOnly={readOnly}
        {...form.getInputProps('audience')}
      />
      {CLAIMS.map((claim) => (
        <TextInput
          key={claim}
          label={`Claim for ${claim === 'id' ? 'ID' : claim}`}
          readOnly={readOnly}
          {...form.getInputProps(`claims.${claim}`)}
        />
      ))}
    </SimpleGrid>
  )
}
