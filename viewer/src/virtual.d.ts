declare module "virtual:licences" {
  /** What is bundled, with the texts of its licences. */
  export const licences: { name: string; version: string; text: string }[];
}
