import { Button, Group, JsonInput, SegmentedControl, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { changedOnly } from '../../ui/changed-only.ts'
import { Section } from '../../ui/section.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { useSave, type Workspace } from './current-workspace.ts'
import type { SettingsSectionProps } from './general-section.tsx'
import { showInSettings } from './settings-errors.ts'

const SOURCES = [
  { value: 'none', label: 'Nobody' },
  { value: 'url', label: 'Keys at a URL' },
  { value: 'keys', label: 'These keys' },
]

/** What the API merges field by field. */
const MERGED = ['settings', 'settings.claims']

const CLAIMS = ['id', 'role', 'department', 'attributes'] as const

interface Values {
  source: string
  /** The URL, or the key set as JSON. */
  jwks: string
  issuer: string
  audience: string[]
  claims: Workspace['settings']['claims']
}

function valuesOf({ settings: { jwks, issuer, audience, claims } }: Workspace): Values {
  const url = typeof jwks?.url === 'string' ? jwks.url : undefined
  return {
    source: jwks === null ? 'none' : url === undefined ? 'keys' : 'url',
    jwks: url ?? (jwks ? JSON.stringify(jwks, null, 2) : ''),
    issuer: issuer ?? '',
    audience: audience === null ? [] : [audience].flat(),
    claims,
  }
}

function bodyOf({ source, jwks, issuer, audience, claims }: Values) {
  return {
    settings: {
      jwks: source === 'none' ? null : source === 'url' ? { url: jwks.trim() } : JSON.parse(jwks),
      issuer: issuer.trim() || null,
      audience: audience.length > 0 ? audience : null,
      claims: Object.fromEntries(CLAIMS.map((claim) => [claim, claims[claim].trim() || null])),
    },
  }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Whose signature vouches for users: without it, only what an Application says of them counts. */
export function UserTokensSection({ workspace, readOnly }: SettingsSectionProps) {
  const form = useForm<Values>({
    initialValues: valuesOf(workspace),
    validate: {
      jwks: (text, { source }) =>
        source === 'keys' && !isJson(text)
          ? 'must be JSON: {"keys": [ … ]}'
          : source === 'url' && !text.trim()
            ? 'Where are they?'
            : null,
    },
  })
  const { save, saving } = useSave(workspace)
  useEdited(form, valuesOf(workspace))
  const { source, audience } = form.getValues()
  const signed = source !== 'none'
  return (
    <Section title="User tokens">
      <Text size="sm" c="dimmed">
        A token signed with one of these keys vouches for a user. Without one, users have only the clearance that the Application
        gives to assertions.
      </Text>
      <form
        onSubmit={form.onSubmit((values) =>
          save(changedOnly(bodyOf(values), bodyOf(valuesOf(workspace)), MERGED), {
            onSuccess: () => form.resetDirty(),
            onError: showInSettings(form),
          }),
        )}
      >
        <Stack>
          <SegmentedControl
            aria-label="Who signs user tokens"
            transitionDuration={0}
            readOnly={readOnly}
            data={SOURCES}
            {...form.getInputProps('source')}
          />
          {source === 'url' && (
            <TextInput label="JWKS URL" type="url" required readOnly={readOnly} {...form.getInputProps('jwks')} />
          )}
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
          {signed && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput label="Issuer" placeholder="any" readOnly={readOnly} {...form.getInputProps('issuer')} />
              <TagsInput
                label="Audience, one of"
                placeholder={audience.length > 0 ? '' : 'any'}
                acceptValueOnBlur
                readOnly={readOnly}
                {...form.getInputProps('audience')}
              />
              {CLAIMS.map((claim) => (
                <TextInput
                  key={claim}
                  label={`Claim with the ${claim}`}
                  readOnly={readOnly}
                  {...form.getInputProps(`claims.${claim}`)}
                />
              ))}
            </SimpleGrid>
          )}
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
