export async function mark(..._: unknown[]): Promise<Uint8Array> {
  return new Uint8Array()
}
