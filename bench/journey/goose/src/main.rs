//! One step with a captured value and a checked one, as users of Goose write it.

use goose::prelude::*;

async fn order(user: &mut GooseUser) -> TransactionResult {
    let mut goose = user.get("order.json").await?;
    let response = goose.response?;
    let document: serde_json::Value = response.json().await?;
    if document["status"] != "open" {
        return user.set_failure("the order is not open", &mut goose.request, None, None);
    }
    let id = document["id"].as_u64();
    user.set_session_data(id);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), GooseError> {
    GooseAttack::initialize()?
        .register_scenario(scenario!("journey").register_transaction(transaction!(order)))
        .execute()
        .await?;
    Ok(())
}
