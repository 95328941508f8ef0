import { Checkbox, NumberInput, PasswordInput, Select, Switch, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'
import { SEPARATORS } from '../../ui/format-numbers.ts'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { type Acl, aclBody } from './acl.ts'
import { AclField } from './acl-field.tsx'

export type Source = ItemOf<'/admin/v1/knowledge/sources'>

const KINDS = ['git', 's3'] as const
/** Of the API. */
const MINUTES = { min: 5, max: 10_080 }

interface Values {
  kind: Source['kind']
  name: string
  url: string
  folder: string
  branch: string
  region: string
  username: string
  secret: string
  removeSecret: boolean
  link: string
  interval_minutes: number
  enabled: boolean
  acl: Acl | null
}

export const sourceValues = (source?: Source): Values => ({
  kind: source?.kind ?? 'git',
  name: source?.name ?? '',
  url: source?.url ?? '',
  folder: source?.folder.replace(/\/$/, '') ?? '',
  branch: source?.branch ?? '',
  region: source?.region ?? '',
  username: source?.username ?? '',
  secret: '',
  removeSecret: false,
  link: source?.link ?? '',
  interval_minutes: source?.interval_minutes ?? 60,
  enabled: source?.enabled ?? true,
  acl: source?.acl ?? null,
})

/** Settings of a request. A secret that is not entered is left out, so that the stored one stays. */
export function settingsBody({ kind, url, folder, secret, removeSecret, interval_minutes, enabled, acl, ...texts }: Values) {
  const orNull = (text: string): string | null => text.trim() || null
  return {
    url: url.trim(),
    folder: folder.trim(),
    ...(kind === 'git' ? { branch: orNull(texts.branch) } : { region: orNull(texts.region) }),
    username: orNull(texts.username),
    ...(secret ? { secret } : removeSecret && { secret: null }),
    link: orNull(texts.link),
    interval_minutes,
    enabled,
    acl: aclBody(acl),
  }
}

export function useSourceForm(source?: Source): UseFormReturnType<Values> {
  const { t } = useTranslation('knowledge')
  return useForm<Values>({
    initialValues: sourceValues(source),
    validate: {
      name: (name) => (name.trim() === '' ? t('form.nameRequired') : null),
      url: (url) => (url.trim() === '' ? t('sources.form.urlRequired') : null),
      username: (username, { kind, secret }) =>
        kind === 's3' && secret !== '' && username.trim() === '' ? t('sources.form.keyIdRequired') : null,
    },
  })
}

interface SourceFormProps extends FormProps<Values> {
  /** The source that is edited. Its kind and its name are fixed. */
  readonly source?: Source
}

export function SourceForm({ form, source, onSubmit, submit, pending }: SourceFormProps) {
  const { t } = useTranslation('knowledge')
  const { kind } = form.getValues()
  const { value, onChange, error } = form.getInputProps('acl')
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      {!source && (
        <>
          <Select
            label={t('sources.form.kind')}
            description={t(`sources.form.needs.${kind}`)}
            allowDeselect={false}
            data={KINDS.map((one) => ({ value: one, label: t(`sources.form.kinds.${one}`) }))}
            {...form.getInputProps('kind')}
          />
          <TextInput
            label={t('form.name')}
            description={t('sources.form.nameHint')}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
        </>
      )}
      <PlaceFields form={form} />
      <SecretFields form={form} hasSecret={source?.has_secret === true} />
      <TextInput
        label={t('sources.form.link')}
        description={t('sources.form.linkHint')}
        placeholder={t('sources.form.linkPlaceholder')}
        {...form.getInputProps('link')}
      />
      <NumberInput
        label={t('sources.form.interval')}
        {...MINUTES}
        {...SEPARATORS}
        allowDecimal={false}
        required
        {...form.getInputProps('interval_minutes')}
      />
      <AclField value={value} onChange={onChange} unsetLabel={t('form.sameReaders')} error={error} />
      <Switch label={t('sources.form.enabled')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </SubmitForm>
  )
}

interface FieldsProps {
  readonly form: UseFormReturnType<Values>
}

/** Where the files are. */
function PlaceFields({ form }: FieldsProps) {
  const { t } = useTranslation('knowledge')
  const { kind } = form.getValues()
  return (
    <>
      <TextInput
        label={t(`sources.form.url.${kind}`)}
        description={t(`sources.form.urlHint.${kind}`)}
        required
        {...form.getInputProps('url')}
      />
      <TextInput
        label={t('sources.form.folder')}
        description={t(`sources.form.folderHint.${kind}`)}
        {...form.getInputProps('folder')}
      />
      {kind === 'git' ? (
        <TextInput
          label={t('sources.form.branch')}
          placeholder={t('sources.form.defaultBranch')}
          {...form.getInputProps('branch')}
        />
      ) : (
        <TextInput
          label={t('sources.form.region')}
          placeholder={t('sources.form.defaultRegion')}
          {...form.getInputProps('region')}
        />
      )}
    </>
  )
}

function SecretFields({ form, hasSecret }: FieldsProps & { readonly hasSecret: boolean }) {
  const { t } = useTranslation('knowledge')
  const { kind, removeSecret } = form.getValues()
  return (
    <>
      <TextInput
        label={t(`sources.form.username.${kind}`)}
        description={t(`sources.form.usernameHint.${kind}`)}
        autoComplete="off"
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label={t(`sources.form.secret.${kind}`)}
        description={[t(`sources.form.secretHint.${kind}`), t(`sources.form.${hasSecret ? 'keepSecret' : 'noSecret'}`)].join(' ')}
        autoComplete="new-password"
        disabled={removeSecret}
        {...form.getInputProps('secret')}
      />
      {hasSecret && (
        <Checkbox label={t('sources.form.removeSecret')} {...form.getInputProps('removeSecret', { type: 'checkbox' })} />
      )}
    </>
  )
}
