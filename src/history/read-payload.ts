import { asList, asMessage, type Raw } from './raw-values.js';

/** Returns the JSON that a payload carries; undefined where it carries none that can be read, such as through a codec. */
export function readPayload(payload: unknown): unknown {
  const { metadata, data } = asMessage(payload);
  const encoding = bytesOf(asMessage(metadata).encoding)?.toString('utf8');
  if (encoding === 'binary/null') return null;
  if (encoding !== 'json/plain' && encoding !== 'json/protobuf') return undefined;
  const text = bytesOf(data)?.toString('utf8') ?? '';
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not what it says it is
  }
}

/** Returns what each of several payloads carries. */
export function readPayloads(payloads: unknown): readonly unknown[] {
  return asList(asMessage(payloads).payloads).map(readPayload);
}

/** Returns what a map of payloads carries, by name: headers, search attributes, a memo. */
export function readPayloadMap(fields: unknown): Raw {
  return Object.fromEntries(
    Object.entries(asMessage(fields)).map(([name, payload]) => [name, readPayload(payload)]),
  );
}

/** Bytes stand as such in protobuf, and as base64 in JSON. */
function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : undefined;
}
