//! Attributes of files and datasets.

use hdf5::types::{FixedAscii, FixedUnicode, IntSize, TypeDescriptor, VarLenAscii, VarLenUnicode};
use hdf5::{Attribute, Location};

use super::{Hdf5File, TEXT, heap};
use crate::IoError;

impl Hdf5File {
    /// A text attribute of the file, if there is one.
    pub(crate) fn text_attribute(&self, name: &str) -> Result<Option<String>, IoError> {
        let attribute = self.attribute(&self.file, name)?;
        attribute.map(|attribute| self.text(name, &attribute)).transpose()
    }

    /// A text attribute of a group, if there is one.
    pub(crate) fn text_of_group(&self, group: &str, name: &str) -> Result<Option<String>, IoError> {
        let opened = self.file.group(group);
        let opened = opened.map_err(|e| self.wrong(group, format!("damaged group: {e}")))?;
        let attribute = self.attribute(&opened, name)?;
        attribute.map(|attribute| self.text(&format!("{group}.{name}"), &attribute)).transpose()
    }

    /// A text attribute of a dataset, which must have it.
    pub(crate) fn text_of(&self, dataset: &str, name: &str) -> Result<String, IoError> {
        let (place, attribute) = self.attribute_of(dataset, name)?;
        self.text(&place, &attribute)
    }

    /// An integer attribute of a dataset, which must have it.
    pub(crate) fn integer_of(&self, dataset: &str, name: &str) -> Result<i64, IoError> {
        let (place, attribute) = self.attribute_of(dataset, name)?;
        self.integer(&place, &attribute)
    }

    /// An attribute of a dataset, and its name in messages.
    fn attribute_of(&self, dataset: &str, name: &str) -> Result<(String, Attribute), IoError> {
        let place = format!("{dataset}.{name}");
        let found = self.file.dataset(dataset);
        let found = found.map_err(|e| self.wrong(dataset, format!("damaged dataset: {e}")))?;
        match self.attribute(&found, name)? {
            Some(attribute) => Ok((place, attribute)),
            None => Err(self.wrong(&place, "the attribute is missing")),
        }
    }

    pub(super) fn text(&self, name: &str, attribute: &Attribute) -> Result<String, IoError> {
        let descriptor = attribute.dtype().and_then(|t| t.to_descriptor());
        if matches!(descriptor, Ok(TypeDescriptor::VarLenUnicode | TypeDescriptor::VarLenAscii))
            && !heap::are_sound(&self.path).map_err(|e| IoError::read(&self.path, e))?
        {
            return Err(self.wrong(name, "the attribute cannot be read: the texts of the file are damaged"));
        }
        // As bytes: the bindings' own conversion assumes UTF-8 without checking, even in a damaged file.
        let bytes = match descriptor {
            Ok(TypeDescriptor::VarLenUnicode) => {
                attribute.read_scalar::<VarLenUnicode>().map(|s| s.as_bytes().to_vec())
            }
            Ok(TypeDescriptor::VarLenAscii) => {
                attribute.read_scalar::<VarLenAscii>().map(|s| s.as_bytes().to_vec())
            }
            Ok(TypeDescriptor::FixedUnicode(n)) if n <= TEXT => {
                attribute.read_scalar::<FixedUnicode<TEXT>>().map(|s| s.as_bytes().to_vec())
            }
            Ok(TypeDescriptor::FixedAscii(n)) if n <= TEXT => {
                attribute.read_scalar::<FixedAscii<TEXT>>().map(|s| s.as_bytes().to_vec())
            }
            _ => Err("it is not text".into()),
        };
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        text.map_err(|e| self.wrong(name, format!("the attribute cannot be read: {e}")))
    }

    /// An attribute of the file that is an array of bytes, if there is one.
    pub(crate) fn byte_attribute(&self, name: &str) -> Result<Option<Vec<u8>>, IoError> {
        let attribute = self.attribute(&self.file, name)?;
        attribute.map(|attribute| self.bytes(name, &attribute)).transpose()
    }

    pub(super) fn bytes(&self, name: &str, attribute: &Attribute) -> Result<Vec<u8>, IoError> {
        let is_bytes = matches!(
            attribute.dtype().and_then(|t| t.to_descriptor()),
            Ok(TypeDescriptor::Unsigned(IntSize::U1))
        );
        if !is_bytes || attribute.size() as u64 > self.bytes {
            return Err(self.wrong(name, "the attribute is not an array of bytes"));
        }
        let bytes = attribute.read_raw::<u8>();
        bytes.map_err(|e| self.wrong(name, format!("the attribute cannot be read: {e}")))
    }

    /// An integer attribute of the file, if there is one.
    pub(crate) fn integer_attribute(&self, name: &str) -> Result<Option<i64>, IoError> {
        let attribute = self.attribute(&self.file, name)?;
        attribute.map(|attribute| self.integer(name, &attribute)).transpose()
    }

    /// A floating-point attribute of the file, if there is one.
    pub(crate) fn number_attribute(&self, name: &str) -> Result<Option<f64>, IoError> {
        let Some(attribute) = self.attribute(&self.file, name)? else { return Ok(None) };
        let value = attribute.read_scalar::<f64>();
        value.map(Some).map_err(|e| self.wrong(name, format!("the attribute is not a number: {e}")))
    }

    pub(super) fn integer(&self, name: &str, attribute: &Attribute) -> Result<i64, IoError> {
        let value = attribute.read_scalar::<i64>();
        value.map_err(|e| self.wrong(name, format!("the attribute is not an integer: {e}")))
    }

    fn attribute(&self, of: &Location, name: &str) -> Result<Option<Attribute>, IoError> {
        // Opening alone would not distinguish a missing attribute from a damaged one.
        let names = of.attr_names();
        let names = names.map_err(|e| self.wrong(name, format!("damaged attributes: {e}")))?;
        if !names.iter().any(|n| n == name) {
            return Ok(None);
        }
        let attribute = of.attr(name);
        attribute.map(Some).map_err(|e| self.wrong(name, format!("damaged attribute: {e}")))
    }
}
