//! The booking tool of the travel desk: a declaration with many JSON Schema features.

use std::sync::Arc;

use adk_core::ToolContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::tool::{FnTool, ToolFault};

/// The arguments of a booking, which the schema checks.
#[derive(Debug, Deserialize, JsonSchema)]
struct Booking {
    fare: String,
    payment: Payment,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Payment {
    method: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Booked {
    /// The booking code.
    code: String,
    fare: String,
    paid_by: String,
    /// Other fields, by name.
    noted: Vec<String>,
}

/// The tool that books a fare.
pub(super) fn book_trip() -> FnTool {
    FnTool::new(
        "book_trip",
        "Books a fare and pays for it.",
        |_: Arc<dyn ToolContext>, booking: Booking| async move { book(booking) },
    )
    .parameters(schema())
}

fn book(booking: Booking) -> Result<Booked, ToolFault> {
    if booking.fare.trim().is_empty() {
        return Err(ToolFault::invalid_input("a booking needs the fare's code"));
    }
    let code = format!("BK-{}", booking.fare.to_uppercase());
    let noted = booking.rest.into_iter().map(|(name, _)| name).collect();
    Ok(Booked { code, fare: booking.fare, paid_by: booking.payment.method, noted })
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["fare", "payment"],
        "properties": {
            "fare": {
                "type": "string",
                "pattern": "^[A-Z]{6}-[0-9]+$",
                "description": "The fare's code, as `quote_trip` gives it.",
                "examples": ["OSLLIS-2", "OSLNCE-1"]
            },
            "request_id": {
                "type": "string", "format": "uuid",
                "description": "Makes a repeated booking harmless."
            },
            "depart": {"type": "string", "format": "date", "description": "The day of departure."},
            "remind_at": {
                "type": "string", "format": "date-time",
                "description": "When the traveler is reminded."
            },
            "email": {"type": "string", "format": "email", "description": "Where the ticket goes."},
            "bags": {
                "type": "integer", "minimum": 0, "maximum": 5, "default": 1,
                "title": "Bags (pieces)",
                "description": "How many pieces are checked in."
            },
            "discount": {
                "type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.05,
                "description": "A **fraction** of the price: `0.1` is ten percent."
            },
            "insured": {
                "type": "boolean", "default": false,
                "description": "Whether the trip may be canceled for its price."
            },
            "payment": {
                "description": "How it is paid.",
                "oneOf": [
                    {
                        "title": "card", "type": "object", "required": ["method", "number"],
                        "properties": {
                            "method": {"const": "card"},
                            "holder": {
                                "type": "string", "description": "The name on the card."
                            },
                            "number": {
                                "type": "string", "pattern": "^[0-9]{12,19}$",
                                "description": "The card's number, without spaces."
                            },
                            "code": {
                                "type": "string", "format": "password", "maxLength": 4,
                                "description": "The digits on the back of the card."
                            }
                        },
                        "dependentRequired": {"code": ["holder"]}
                    },
                    {
                        "title": "invoice", "type": "object", "required": ["method", "company"],
                        "properties": {
                            "method": {"const": "invoice"},
                            "holder": {
                                "type": "string", "description": "Who the invoice is for."
                            },
                            "company": {
                                "type": "string", "minLength": 2,
                                "description": "Who pays the invoice."
                            },
                            "po_number": {
                                "type": "string", "deprecated": true,
                                "description": "The number of the company's order."
                            }
                        }
                    }
                ]
            },
            "seats": {
                "type": "array", "uniqueItems": true, "maxItems": 9,
                "items": {"type": "string", "pattern": "^[0-9]+[A-F]$"},
                "description": "Seats in the order of the travelers, such as 12A."
            },
            "extras": {
                "type": "object",
                "description": "Anything else: `note_…` is text, `fee_…` an amount in euros.",
                "propertyNames": {"maxLength": 20},
                "patternProperties": {
                    "^note_": {"type": "string"},
                    "^fee_": {"type": "number", "minimum": 0}
                },
                "additionalProperties": false
            }
        },
        "if": {"properties": {"insured": {"const": true}}, "required": ["insured"]},
        "then": {
            "required": ["birth_date"],
            "properties": {
                "birth_date": {
                    "type": "string", "format": "date",
                    "description": "The insurer asks for it."
                }
            }
        }
    })
}
